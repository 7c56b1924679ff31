// Parsing, with the path of the key in every complaint. Keys that are not known are ignored: within one
// format version keys are only added, and an older program still shows what it understands.
#include <fmt/format.h>

#include <cmath>

#include "result/json_node.hpp"
#include "result/json_parts.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/result/json_text.hpp"
#include "steelyard/result/result.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

namespace {

using Node = JsonNode;

constexpr int kDeepest = 64;  // levels; a result has six, its options a few more

// Line and column of a byte, counted from 1.
Place place_of(const std::string& text, std::size_t byte, const std::string& file) {
  Place place{file, 1, 1, {}};
  for (std::size_t i = 0; i + 1 < byte && i < text.size(); ++i) {
    place.column = text[i] == '\n' ? 1 : place.column + 1;
    place.line += text[i] == '\n';
  }
  return place;
}

Json parse(const std::string& text, const std::string& file) {
  const auto limit_depth = [&](int depth, Json::parse_event_t, Json&) {
    if (depth > kDeepest)
      throw InputError({"the JSON is nested too deeply",
                        {file, 0, 0, ""},
                        fmt::format("at most {} levels", kDeepest),
                        "is it a result.json of steelyard?"});
    return true;
  };
  try {
    return Json::parse(text, limit_depth);
  } catch (const Json::parse_error& error) {
    // The library's text begins with its own code and place; the part after the last ": " is the reason.
    const std::string what = error.what();
    const std::size_t reason = what.find("syntax error");
    throw InputError({"no valid JSON: " + (reason == std::string::npos ? what : what.substr(reason)),
                      place_of(text, error.byte, file), "", "was the file cut off or edited?"});
  } catch (const Json::out_of_range& error) {
    throw InputError({std::string("no valid JSON: ") + error.what(),
                      {file, 0, 0, ""},
                      "numbers within ±1.8e308",
                      "was the file edited?"});
  }
}

VerdictLevel read_level(const Node& node) {
  const std::string text = node.text();
  for (const VerdictLevel level : {VerdictLevel::good, VerdictLevel::usable, VerdictLevel::not_trustworthy}) {
    if (text == to_string(level)) return level;
  }
  node.refuse("is '" + text + "' instead of good, usable or not_trustworthy");
}

Severity read_severity(const Node& node) {
  const std::string text = node.text();
  for (const Severity severity : {Severity::note, Severity::warning, Severity::error}) {
    if (text == to_string(severity)) return severity;
  }
  node.refuse("is '" + text + "' instead of note, warning or error");
}

Finding read_finding(const Node& node) {
  return {node.at("code").text(),     node.at("joint").text(),  read_severity(node.at("severity")),
          node.at("evidence").text(), node.at("remedy").text(), node.at("waived").truth()};
}

JointResidual read_joint_residual(const Node& node) {
  return {node.at("name").text(), node.at("rms").number(), node.optional_number("prepared"),
          node.optional_number("raw")};
}

BaseValue read_base(const Node& node) {
  BaseValue base;
  base.name = node.at("name").text();
  base.expression = node.at("expression").text();
  const Node terms = node.at("terms");
  for (const auto& term : terms.object().items()) base.terms[term.key()] = terms.at(term.key()).number();
  base.value = node.at("value").number();
  base.sigma = node.optional_number("sigma");
  base.sigma_classical = node.optional_number("sigma_classical");
  base.relative_sigma = node.optional_number("relative_sigma");
  if (node.has("interval")) {
    const auto ends = node.list("interval", [](const Node& end) { return end.number(); });
    if (ends.size() != 2)
      node.at("interval").refuse(fmt::format("has {} numbers instead of two", ends.size()));
    base.interval = {ends[0], ends[1]};
  }
  base.method = node.at("method").text();
  base.status = node.at("status").text();
  return base;
}

PreparationSummary read_preparation(const Node& node) {
  PreparationSummary summary;
  summary.rate = node.at("rate").number();
  summary.cutoff = node.optional_number("cutoff");
  summary.decimation = node.at("decimation").integer<std::int64_t>();
  summary.kept_share = node.at("kept_share").number();
  if (!node.has("candidates")) return summary;
  summary.candidates = node.list("candidates", [](const Node& item) {
    return CutoffCandidate{item.at("cutoff").number(), item.at("score").number()};
  });
  summary.choice = node.at("choice").text();
  return summary;
}

IntervalSummary read_intervals(const Node& node) {
  return {node.at("level").number(), node.at("method").text(), node.at("blocks").integer<std::int64_t>(),
          node.at("effective_rows").number(), node.at("bias_checked").truth()};
}

JointBand read_band(const Node& node) {
  return {node.at("joint").text(), node.at("half_width").number(), node.at("parameter_part").number(),
          node.at("coverage").number()};
}

RunValidation read_validation(const Node& node) {
  RunValidation run;
  run.run = node.at("run").text();
  run.fresh = node.at("fresh").truth();
  run.residual = read_residual(node.at("residual"));
  if (node.has("repeats")) run.repeats = node.at("repeats").text();
  if (node.has("band_coverage"))
    run.band_coverage = node.list("band_coverage", [](const Node& share) { return share.number(); });
  if (node.has("left_out")) run.left_out = read_residual(node.at("left_out").at("residual"));
  run.whiteness = node.list("whiteness", [](const Node& joint) {
    return JointWhiteness{joint.at("name").text(), joint.at("p_value").number(),
                          joint.at("coloured").number()};
  });
  if (node.has("feasible")) run.feasible = read_residual(node.at("feasible").at("residual"));
  return run;
}

Provenance read_provenance(const Node& node) {
  Provenance provenance;
  provenance.inputs = node.list("inputs", [](const Node& input) {
    return InputFile{input.at("path").text(), input.at("sha256").text()};
  });
  provenance.options = node.at("options").object().dump();
  provenance.seed = node.at("seed").integer<std::uint64_t>();
  provenance.version = node.at("version").text();
  provenance.isa = node.at("isa").text();
  return provenance;
}

void write_value(JsonWriter& json, const Json& value) {
  if (value.is_object()) {
    json.begin_object();
    for (const auto& member : value.items()) {
      json.key(member.key());
      write_value(json, member.value());
    }
    json.end_object();
  } else if (value.is_array()) {
    bool flat = true;
    for (const Json& element : value) flat = flat && element.is_primitive();
    flat ? json.begin_flat_array() : json.begin_array();
    for (const Json& element : value) write_value(json, element);
    json.end_array();
  } else if (value.is_string()) {
    json.value(value.get_ref<const std::string&>());
  } else if (value.is_boolean()) {
    json.value(value.get<bool>());
  } else if (value.is_number_unsigned()) {
    json.value(value.get<std::uint64_t>());
  } else if (value.is_number_integer()) {
    json.value(value.get<std::int64_t>());
  } else if (value.is_number()) {
    json.value(value.get<double>());
  } else {
    json.null();
  }
}

}  // namespace

ResidualSummary read_residual(const Node& node) {
  return {node.at("prepared").number(), node.optional_number("prepared_weighted"),
          node.optional_number("raw"), node.list("per_joint", read_joint_residual)};
}

std::map<std::string, double> read_numbers(const Node& node) {
  std::map<std::string, double> numbers;
  for (const auto& member : node.object().items())
    if (member.value().is_number()) numbers[member.key()] = member.value().get<double>();
  return numbers;
}

FrictionValues read_friction(const Node& node) {
  FrictionValues friction{node.at("model").text(), read_numbers(node.at("parameters")),
                          read_numbers(node.at("sigma")), node.at("status").text(), ""};
  if (node.has("reason")) friction.reason = node.at("reason").text();
  return friction;
}

DriveValues read_drive(const Node& node) {
  DriveValues drive{node.at("joint").text(), read_numbers(node), node.at("status").text()};
  if (node.has("friction")) drive.friction = read_friction(node.at("friction"));
  return drive;
}

CrossValidationSummary read_cross_validation(const Node& node) {
  return {node.at("blocks").integer<int>(), node.at("by").text(), read_residual(node.at("residual"))};
}

void write_options(JsonWriter& json, const std::string& text) {
  Json value;
  try {
    value = parse(text, "options");
  } catch (const InputError& error) {
    throw InternalError(std::string("the result's options are no JSON: ") + error.what());
  }
  require(value.is_object(), "the result's options are no JSON object");
  write_value(json, value);
}

Result result_from_json(const std::string& text, const std::string& name) {
  const Json json = parse(text, name);
  const Node node(json, "", name);
  const int format = node.at("format_version").integer<int>();
  if (format != kResultFormat)
    throw InputError({fmt::format("the result has format version {}", format),
                      {name, 0, 0, ""},
                      fmt::format("this program reads version {}", kResultFormat),
                      "make it again with this program, or use the one that made it"});
  Result result;
  const Node robot = node.at("robot");
  result.robot_name = robot.at("name").text();
  result.robot_hash = robot.at("hash").text();
  result.dof = robot.at("dof").integer<int>();
  result.samples = node.at("samples").integer<std::int64_t>();
  result.rows = node.at("rows").integer<std::int64_t>();
  result.passes = node.at("passes").integer<int>();
  result.verdict = {read_level(node.at("verdict").at("level")), node.at("verdict").texts("reasons")};
  result.findings = node.list("findings", read_finding);
  result.condition = node.optional_number("condition");
  result.condition_scaled = node.optional_number("condition_scaled");
  result.residual = read_residual(node.at("residual"));
  if (node.has("estimator")) result.estimator = read_estimator(node.at("estimator"));
  result.preparation = read_preparation(node.at("preparation"));
  if (node.has("cross_validation"))
    result.cross_validation = read_cross_validation(node.at("cross_validation"));
  if (node.has("intervals")) result.intervals = read_intervals(node.at("intervals"));
  if (node.has("bands")) result.bands = node.list("bands", read_band);
  result.base = node.list("base", read_base);
  result.drives = node.list("drives", read_drive);
  if (node.has("feasible")) result.feasible = read_feasible(node.at("feasible"));
  if (node.has("elastic")) result.elastic = read_elastic(node.at("elastic"));
  if (node.has("payloads")) result.payloads = node.list("payloads", read_payload);
  if (node.has("gains")) result.gains = read_gains(node.at("gains"));
  if (node.has("signs")) result.signs = read_signs(node.at("signs"));
  if (node.has("links")) result.links = node.list("links", read_link);
  if (node.has("reverse")) result.reverse = read_reverse(node.at("reverse"));
  result.validation = node.list("validation", read_validation);
  if (node.has("comparison")) result.comparison = node.list("comparison", read_comparison);
  if (node.has("exports")) result.exports = node.list("exports", read_export);
  if (node.has("engines")) result.engines = node.list("engines", read_engine);
  if (node.has("self_checks"))
    result.self_checks = node.list("self_checks", [](const JsonNode& check) {
      return SelfCheck{check.at("what").text(), check.at("difference").number(), check.at("limit").number()};
    });
  result.unavailable = node.texts("unavailable");
  result.provenance = read_provenance(node.at("provenance"));
  return result;
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
