#include "study_output.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <nlohmann/json.hpp>

#include "engine_text.hpp"
#include "output.hpp"
#include "result_tables.hpp"
#include "reverse_text.hpp"
#include "steelyard/core/pool.hpp"
#include "steelyard/report/report.hpp"
#include "text.hpp"

namespace cli {
namespace {

using steelyard::Result;

std::string percent(double share) {
  return fmt::format("{:.2f}", 100 * share);
}
std::string percent(const std::optional<double>& share) {
  return share ? percent(*share) : "-";
}

std::string elastic_text(const steelyard::ElasticSummary& elastic) {
  constexpr int kDigits = 6;  // intervals of stiffness are narrow
  const auto end = [](const std::optional<double>& value) {
    return value ? number(*value, kDigits) : std::string("?");
  };
  Table joints({"joint", "K", "from", "to", "B", "SNR", "K identified"});
  for (const steelyard::ElasticJoint& joint : elastic.joints) {
    if (!joint.is_elastic) continue;
    const steelyard::ElasticValue K = joint.stiffness.value_or(steelyard::ElasticValue{});
    joints.add({joint.name, joint.stiffness ? number(K.value, kDigits) : "-", end(K.lower), end(K.upper),
                joint.motor_inertia ? number(joint.motor_inertia->value, 4) : "-", number(joint.snr, 3),
                joint.identifiable ? "yes" : "no"});
  }
  Table links({"base parameter", "value", "from", "to"});
  for (const steelyard::ElasticLinkValue& link : elastic.links)
    links.add({link.name, number(link.value.value, 4), end(link.value.lower), end(link.value.upper)});
  return "\nElastic joints\n" + joints.to_string() + "\nLinks on the springs, without the motors\n" +
         links.to_string();
}

// Rows: base parameters and links of each model; columns: joints.
std::string comparison_text(const Result& result) {
  std::vector<std::string> head = {"mean square error of"};
  for (const steelyard::JointResidual& joint : result.validation.front().residual.per_joint)
    head.push_back(joint.name);
  Table table(head);
  for (const steelyard::ModelErrors& set : result.comparison) {
    std::vector<std::string> row = {set.model + ", " + set.parameters};
    for (const double mse : set.mse) row.push_back(number(mse, 3));
    table.add(row);
  }
  return fmt::format("\nParameter sets on {} {}, prepared efforts\n", result.validation.size(),
                     result.validation.size() == 1 ? "run" : "runs") +
         table.to_string();
}

// Of a validation: the run is not new to the model.
bool was_fitted_before(const Result& result, const std::string& run) {
  for (const steelyard::Finding& finding : result.findings)
    if (is(finding, "fitted-run") && finding.joint == run) return true;
  return false;
}

// What a newcomer would make of a forecast above 100 %: nothing.
std::string forecast_text(const steelyard::MotionForecast& forecast) {
  if (forecast.expected > 1) return "forecast unknown";
  return fmt::format("forecast {} %, at most {} %", percent(forecast.expected),
                     forecast.upper > 1 ? "100" : percent(forecast.upper));
}

// Where offsets matter.
std::string offsets_text(const steelyard::RunValidation& run) {
  const bool differs = std::any_of(run.offsets.begin(), run.offsets.end(),
                                   [](const steelyard::OffsetRefit& joint) { return joint.differs; });
  if (!differs || !run.refitted_offsets) return "";
  return fmt::format("    with offsets refitted on it: prepared {} %\n",
                     percent(run.refitted_offsets->prepared));
}

// A line of the summary, on as many of the terminal as it takes.
std::string line(const std::string& text) {
  return wrapped(text, "  ", "    ");
}

std::string typical_text(const steelyard::ForecastSummary& forecast) {
  std::string text = fmt::format("typical motions: {}", forecast_text(forecast.typical));
  if (forecast.feasible_typical)
    text += fmt::format("; feasible parameters: {}", forecast_text(*forecast.feasible_typical));
  return line(text) + worst_text(forecast.feasible_typical ? *forecast.feasible_typical : forecast.typical);
}

// With a column for the rows at standstill where such rows were left out.
std::string residual_table(const steelyard::ResidualSummary& residual) {
  const bool rest = residual.with_standstill.has_value();
  const auto row = [&](const std::string& name, const std::string& rms, const auto& of) {
    std::vector<std::string> cells = {name, rms, percent(of.prepared)};
    if (rest) cells.push_back(percent(of.with_standstill));
    cells.push_back(percent(of.raw));
    return cells;
  };
  Table joints(rest ? std::vector<std::string>{"joint", "rms", "moving %", "with standstill %", "raw %"}
                    : std::vector<std::string>{"joint", "rms", "prepared %", "raw %"});
  for (const steelyard::JointResidual& joint : residual.per_joint)
    joints.add(row(joint.name, number(joint.rms, 3), joint));
  joints.add(row("all", "", residual));
  return joints.to_string();
}

std::string standstill_text(const steelyard::ResidualSummary& residual) {
  return residual.with_standstill ? fmt::format(" ({} % with standstill)", percent(residual.with_standstill))
                                  : "";
}

// What is left of the efforts (φ2), how far the links are from the estimate (φ1), and what the search proves.
std::string feasible_text(const Result& result, const steelyard::FeasibleSummary& feasible) {
  std::string text;
  if (feasible.residual) {
    text = fmt::format("feasible parameters ({}): prepared {} %", feasible.method,
                       percent(feasible.residual->prepared));
    for (const steelyard::RunValidation& run : result.validation)
      if (run.fresh && run.feasible)
        text += fmt::format("; run '{}' {} %", run.run, percent(run.feasible->prepared));
  } else {
    text = fmt::format("feasible parameters ({}): no rows to compare them with", feasible.method);
  }
  if (feasible.moved_sigma) text += fmt::format("; φ1: {:.3g} σ from the estimate", *feasible.moved_sigma);
  if (feasible.gap) text += fmt::format("; φ2 within {:.2g} of the least", *feasible.gap);
  return line(text);
}

std::string summary_text(const Result& result) {
  const bool has_rows = !result.residual.per_joint.empty();  // base values may be given without any
  std::string text = fmt::format("{}: {} base parameters", result.robot_name, result.base.size());
  text += has_rows ? fmt::format(" from {} samples, {} rows\n\n", result.samples, result.rows)
                   : ", given without rows\n\n";
  if (has_rows) text += "Unexplained effort\n" + residual_table(result.residual);
  for (const steelyard::RunValidation& run : result.validation)
    if (!has_rows && run.fresh)
      text += fmt::format("Unexplained effort of run '{}'\n", run.run) + residual_table(run.residual);
  for (const steelyard::EffortDelaySummary& delay : result.preparation.effort_delays)
    text += line(fmt::format("efforts of run '{}' against its positions: {}", delay.run, delay_text(delay)));
  if (result.cross_validation)
    text += line(fmt::format("cross-validation ({} blocks by {}): {} %{}", result.cross_validation->blocks,
                             result.cross_validation->by, percent(result.cross_validation->residual.prepared),
                             standstill_text(result.cross_validation->residual)));
  for (const steelyard::RunValidation& run : result.validation)
    if (run.fresh || was_fitted_before(result, run.run))
      text += line(fmt::format("run '{}', {}: prepared {} %, raw {} %{}", run.run,
                               run.fresh ? "not fitted" : "fitted", percent(run.residual.prepared),
                               percent(run.residual.raw),
                               run.forecast ? "; " + forecast_text(*run.forecast) : "")) +
              offsets_text(run);
  if (result.feasible) text += feasible_text(result, *result.feasible);
  if (result.forecast) text += typical_text(*result.forecast);
  text += tables_text(result);
  if (result.elastic) text += elastic_text(*result.elastic);
  if (!result.comparison.empty()) text += comparison_text(result);
  text += engines_text(result.engines);
  return text;
}

std::string judgement_text(const Result& result) {
  std::string text;
  if (!result.findings.empty()) text += "\nFindings\n" + findings_text(result.findings);
  text += fixes_text(result.fixes);
  if (!result.unavailable.empty()) {
    text += "\nNot available in this result\n";
    for (const std::string& item : result.unavailable) text += wrapped(item, "  ", "    ");
  }
  const Colour colour = result.verdict.level == steelyard::VerdictLevel::good     ? Colour::green
                        : result.verdict.level == steelyard::VerdictLevel::usable ? Colour::yellow
                                                                                  : Colour::red;
  std::string level = to_string(result.verdict.level);
  std::replace(level.begin(), level.end(), '_', ' ');
  text += fmt::format("\nVerdict: {}\n", coloured(colour, level));
  for (const std::string& reason : result.verdict.reasons) text += wrapped(reason, "  ", "    ");
  return text;
}

std::string run_json(const steelyard::StudyOutcome& outcome, const CommonOptions& common, double seconds) {
  nlohmann::ordered_json json;
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  char date[32] = "";
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  std::strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &utc);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  json["version"] = STEELYARD_VERSION;
  json["date"] = date;
  json["host"] = host;
  json["threads"] = common.threads;
  json["seconds"] = seconds;
  json["peak_memory_bytes"] = static_cast<std::int64_t>(usage.ru_maxrss) * 1024;
  json["stages"] = nlohmann::ordered_json::array();
  for (const steelyard::StageTime& time : outcome.times)
    json["stages"].push_back(
        {{"stage", time.stage}, {"seconds", time.seconds}, {"cpu_seconds", time.cpu_seconds}});
  return json.dump(2) + "\n";
}

}  // namespace

std::string worst_text(const steelyard::MotionForecast& forecast) {
  constexpr std::size_t kShown = 3;
  std::string text;
  for (const steelyard::JointForecast& joint : worst_joints(forecast, kShown))
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", joint.name,
                        *joint.expected > 1 ? "over 100 %" : percent(*joint.expected) + " %");
  return text.empty() ? "" : line(fmt::format("worst joints there: {} of their own effort", text));
}

std::string findings_text(const std::vector<steelyard::Finding>& findings) {
  std::string text;
  const std::string indent(11, ' ');
  for (const steelyard::Finding& finding : findings) {
    std::string severity = fmt::format("{:<8}", to_string(finding.severity));
    if (finding.severity == steelyard::Severity::error) severity = coloured(Colour::red, severity);
    if (finding.severity == steelyard::Severity::warning) severity = coloured(Colour::yellow, severity);
    text += fmt::format("  {} {}{}{}\n", severity, finding.code,
                        finding.joint.empty() ? "" : " (" + finding.joint + ")",
                        finding.waived ? ", waived" : "");
    text += wrapped(finding.evidence, indent, indent);
    text += wrapped("→ " + finding.remedy, indent, indent + "  ");
  }
  return text;
}

std::string fixes_text(const std::vector<steelyard::StudyFix>& fixes) {
  if (fixes.empty()) return "";
  std::string text = "\nIn the study, as `steelyard check --fix` writes it\n";
  for (const steelyard::StudyFix& fix : fixes) {
    text += fmt::format("  {}\n", fmt::join(fix.findings, ", "));
    for (const steelyard::StudyEdit& edit : fix.edits) text += "    " + edit_text(edit) + "\n";
  }
  return text;
}

nlohmann::ordered_json findings_json(const std::vector<steelyard::Finding>& findings) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const steelyard::Finding& finding : findings)
    json.push_back({{"code", finding.code},
                    {"joint", finding.joint},
                    {"severity", to_string(finding.severity)},
                    {"evidence", finding.evidence},
                    {"remedy", finding.remedy},
                    {"waived", finding.waived}});
  return json;
}

steelyard::StudyOptions study_options(const CommonOptions& common, Progress& progress) {
  steelyard::StudyOptions options;
  options.threads = common.threads > 0 ? common.threads : steelyard::hardware_threads();
  options.progress = [&](const std::string& stage, double share) { progress.report(stage, share); };
  return options;
}

std::string command_text(const std::string& verb, const std::string& path, const CommonOptions& common) {
  const std::string seed = common.seed ? fmt::format(" --seed {}", *common.seed) : "";
  return fmt::format("steelyard {} {}{}", verb, path, seed);
}

int write_outcome(const steelyard::StudyOutcome& outcome, const OutcomeOptions& options,
                  const CommonOptions& common, steelyard::OutputFolder& folder) {
  if (!common.quiet) print_warnings(outcome.warnings);
  const std::string json = to_json(outcome.result);
  folder.write("result.json", json);
  if (options.report)
    folder.write("report.html",
                 render_report(outcome.result, outcome.curves, {options.command}, options.scene));
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - options.begin;
  folder.write("run.json", run_json(outcome, common, seconds.count()));
  for (const steelyard::ExportedFile& file : outcome.files) folder.write(file.name, file.text);
  folder.commit();

  if (common.json) {
    print(json);
  } else if (!common.quiet) {
    const std::string summary = !options.text.empty()    ? options.text
                                : outcome.result.reverse ? reverse_text(outcome.result)
                                                         : summary_text(outcome.result);
    print(summary + judgement_text(outcome.result));
    print(fmt::format("\nWritten: {}\n",
                      (folder.target() / (options.report ? "report.html" : "result.json")).string()));
    for (const steelyard::ExportSummary& item : outcome.result.exports)
      print(exported_text(item, folder.target().string()));
  }
  return outcome.result.verdict.level == steelyard::VerdictLevel::not_trustworthy ? kNotTrustworthy : kDone;
}

}  // namespace cli
