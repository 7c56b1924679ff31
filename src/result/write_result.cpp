// The struct in the order of docs/result.md.
#include <algorithm>
#include <array>

#include "result/json_parts.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/result/json_text.hpp"
#include "steelyard/core/json_writer.hpp"
#include "steelyard/result/result.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

namespace {

void write_optional(JsonWriter& json, const char* key, const std::optional<double>& number) {
  if (number) json.key(key).value(*number);
}

void write_texts(JsonWriter& json, const char* key, const std::vector<std::string>& texts) {
  json.key(key).begin_array();
  for (const std::string& text : texts) json.value(text);
  json.end_array();
}

void write_findings(JsonWriter& json, const std::vector<Finding>& findings) {
  json.key("findings").begin_array();
  for (const Finding& finding : findings) {
    json.begin_object();
    json.key("code").value(finding.code);
    json.key("joint").value(finding.joint);
    json.key("severity").value(to_string(finding.severity));
    json.key("evidence").value(finding.evidence);
    json.key("remedy").value(finding.remedy);
    json.key("waived").value(finding.waived);
    json.end_object();
  }
  json.end_array();
}

void write_preparation(JsonWriter& json, const PreparationSummary& preparation) {
  json.key("preparation").begin_object();
  json.key("rate").value(preparation.rate);
  write_optional(json, "cutoff", preparation.cutoff);
  json.key("decimation").value(preparation.decimation);
  json.key("kept_share").value(preparation.kept_share);
  if (!preparation.candidates.empty()) {
    json.key("candidates").begin_array();
    for (const CutoffCandidate& candidate : preparation.candidates) {
      json.begin_object();
      json.key("cutoff").value(candidate.cutoff);
      json.key("score").value(candidate.score);
      json.end_object();
    }
    json.end_array();
    json.key("choice").value(preparation.choice);
  }
  json.end_object();
}

void write_intervals(JsonWriter& json, const Result& result) {
  if (result.intervals) {
    json.key("intervals").begin_object();
    json.key("level").value(result.intervals->level);
    json.key("method").value(result.intervals->method);
    json.key("blocks").value(result.intervals->blocks);
    json.key("effective_rows").value(result.intervals->effective_rows);
    json.key("bias_checked").value(result.intervals->bias_checked);
    json.end_object();
  }
  if (result.bands.empty()) return;
  json.key("bands").begin_array();
  for (const JointBand& band : result.bands) {
    json.begin_object();
    json.key("joint").value(band.joint);
    json.key("half_width").value(band.half_width);
    json.key("parameter_part").value(band.parameter_part);
    json.key("coverage").value(band.coverage);
    json.end_object();
  }
  json.end_array();
}

void write_base(JsonWriter& json, const std::vector<BaseValue>& base) {
  json.key("base").begin_array();
  for (const BaseValue& column : base) {
    json.begin_object();
    json.key("name").value(column.name);
    json.key("expression").value(column.expression);
    json.key("terms").begin_object();
    for (const auto& [name, factor] : column.terms) json.key(name).value(factor);
    json.end_object();
    json.key("value").value(column.value);
    write_optional(json, "sigma", column.sigma);
    write_optional(json, "sigma_classical", column.sigma_classical);
    write_optional(json, "relative_sigma", column.relative_sigma);
    if (column.interval) {
      json.key("interval").begin_flat_array();
      json.value(column.interval->first);
      json.value(column.interval->second);
      json.end_array();
    }
    json.key("method").value(column.method);
    json.key("status").value(column.status);
    json.end_object();
  }
  json.end_array();
}

void write_provenance(JsonWriter& json, const Provenance& provenance) {
  json.key("provenance").begin_object();
  json.key("inputs").begin_array();
  for (const InputFile& input : provenance.inputs) {
    json.begin_object();
    json.key("path").value(input.path);
    json.key("sha256").value(input.sha256);
    json.end_object();
  }
  json.end_array();
  json.key("options");
  write_options(json, provenance.options.empty() ? "{}" : provenance.options);
  json.key("seed").value(provenance.seed);
  json.key("version").value(provenance.version);
  json.key("isa").value(provenance.isa);
  json.end_object();
}

void write_whiteness(JsonWriter& json, const std::vector<JointWhiteness>& whiteness) {
  json.key("whiteness").begin_array();
  for (const JointWhiteness& joint : whiteness) {
    json.begin_object();
    json.key("name").value(joint.name);
    json.key("p_value").value(joint.p_value);
    json.key("coloured").value(joint.coloured);
    json.end_object();
  }
  json.end_array();
}

void write_validation(JsonWriter& json, const std::vector<RunValidation>& validation) {
  json.key("validation").begin_array();
  for (const RunValidation& run : validation) {
    json.begin_object();
    json.key("run").value(run.run);
    json.key("fresh").value(run.fresh);
    write_residual(json, run.residual);
    if (!run.repeats.empty()) json.key("repeats").value(run.repeats);
    if (run.left_out) {
      json.key("left_out").begin_object();
      write_residual(json, *run.left_out);
      json.end_object();
    }
    write_whiteness(json, run.whiteness);
    if (!run.band_coverage.empty()) {
      json.key("band_coverage").begin_flat_array();
      for (const double share : run.band_coverage) json.value(share);
      json.end_array();
    }
    if (run.feasible) {
      json.key("feasible").begin_object();
      write_residual(json, *run.feasible);
      json.end_object();
    }
    json.end_object();
  }
  json.end_array();
}

void write_summary(JsonWriter& json, const Result& result) {
  json.key("format_version").value(kResultFormat);
  json.key("robot").begin_object();
  json.key("name").value(result.robot_name);
  json.key("hash").value(result.robot_hash);
  json.key("dof").value(result.dof);
  json.end_object();
  json.key("samples").value(result.samples);
  json.key("rows").value(result.rows);
  json.key("passes").value(result.passes);
  json.key("verdict").begin_object();
  json.key("level").value(to_string(result.verdict.level));
  write_texts(json, "reasons", result.verdict.reasons);
  json.end_object();
}

void write_self_checks(JsonWriter& json, const std::vector<SelfCheck>& checks) {
  json.key("self_checks").begin_array();
  for (const SelfCheck& check : checks) {
    json.begin_object();
    json.key("what").value(check.what);
    json.key("difference").value(check.difference);
    json.key("limit").value(check.limit);
    json.end_object();
  }
  json.end_array();
}

}  // namespace

void write_residual(JsonWriter& json, const ResidualSummary& residual) {
  json.key("residual").begin_object();
  json.key("prepared").value(residual.prepared);
  write_optional(json, "prepared_weighted", residual.prepared_weighted);
  write_optional(json, "raw", residual.raw);
  json.key("relative").value(residual.prepared);
  json.key("per_joint").begin_array();
  for (const JointResidual& joint : residual.per_joint) {
    json.begin_object();
    json.key("name").value(joint.name);
    json.key("rms").value(joint.rms);
    write_optional(json, "prepared", joint.prepared);
    write_optional(json, "raw", joint.raw);
    json.end_object();
  }
  json.end_array();
  json.end_object();
}

void write_friction(JsonWriter& json, const FrictionValues& friction) {
  json.key("friction").begin_object();
  json.key("model").value(friction.model);
  for (const auto& [key, values] :
       {std::pair{"parameters", &friction.parameters}, {"sigma", &friction.sigma}}) {
    json.key(key).begin_object();
    for (const auto& [name, number] : *values) json.key(name).value(number);
    json.end_object();
  }
  json.key("status").value(friction.status);
  if (!friction.reason.empty()) json.key("reason").value(friction.reason);
  json.end_object();
}

// The usual names in the usual order, then the others by name.
void write_drive(JsonWriter& json, const DriveValues& drive) {
  constexpr std::array kUsual = {"fv", "fc", "fo", "Ia"};
  json.begin_object();
  json.key("joint").value(drive.joint);
  for (const char* name : kUsual) {
    const auto found = drive.values.find(name);
    if (found != drive.values.end()) json.key(name).value(found->second);
  }
  for (const auto& [name, number] : drive.values) {
    require(name != "joint" && name != "status" && name != "friction",
            "a drive value has the name of another key");
    if (std::find(kUsual.begin(), kUsual.end(), name) == kUsual.end()) json.key(name).value(number);
  }
  if (drive.friction) write_friction(json, *drive.friction);
  json.key("status").value(drive.status);
  json.end_object();
}

void write_cross_validation(JsonWriter& json, const CrossValidationSummary& cross) {
  json.key("cross_validation").begin_object();
  json.key("blocks").value(cross.blocks);
  json.key("by").value(cross.by);
  write_residual(json, cross.residual);
  json.end_object();
}

std::string to_json(const Result& result) {
  JsonWriter json(JsonStyle::readable);
  json.begin_object();
  write_summary(json, result);
  write_findings(json, result.findings);
  write_optional(json, "condition", result.condition);
  write_optional(json, "condition_scaled", result.condition_scaled);
  write_residual(json, result.residual);
  if (result.estimator) write_estimator(json, *result.estimator);
  write_preparation(json, result.preparation);
  if (result.cross_validation) write_cross_validation(json, *result.cross_validation);
  write_intervals(json, result);
  write_base(json, result.base);
  json.key("drives").begin_array();
  for (const DriveValues& drive : result.drives) write_drive(json, drive);
  json.end_array();
  if (result.feasible) write_feasible(json, *result.feasible);
  if (!result.links.empty()) write_links(json, result.links);
  if (result.elastic) write_elastic(json, *result.elastic);
  if (result.reverse) write_reverse(json, *result.reverse);
  if (!result.payloads.empty()) write_payloads(json, result.payloads);
  if (result.gains) write_gains(json, *result.gains);
  if (result.signs) write_signs(json, *result.signs);
  write_validation(json, result.validation);
  if (!result.comparison.empty()) write_comparison(json, result.comparison);
  if (!result.exports.empty()) write_exports(json, result.exports);
  if (!result.engines.empty()) write_engines(json, result.engines);
  if (!result.self_checks.empty()) write_self_checks(json, result.self_checks);
  write_texts(json, "unavailable", result.unavailable);
  write_provenance(json, result.provenance);
  json.end_object();
  return json.text();
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
