#include "run.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <ctime>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "output.hpp"
#include "progress.hpp"
#include "steelyard/core/pool.hpp"
#include "steelyard/report/report.hpp"
#include "steelyard/result/output_folder.hpp"
#include "steelyard/study/run_study.hpp"

namespace cli {
namespace {

using steelyard::Result;

std::string percent(double share) {
  return fmt::format("{:.2f}", 100 * share);
}
std::string percent(const std::optional<double>& share) {
  return share ? percent(*share) : "-";
}

std::string summary_text(const Result& result) {
  std::string text = fmt::format("{}: {} base parameters from {} samples, {} rows\n\n", result.robot_name,
                                 result.base.size(), result.samples, result.rows);
  Table joints({"joint", "rms", "prepared %", "raw %"});
  for (const steelyard::JointResidual& joint : result.residual.per_joint)
    joints.add({joint.name, number(joint.rms, 3), percent(joint.prepared), percent(joint.raw)});
  joints.add({"all", "", percent(result.residual.prepared), percent(result.residual.raw)});
  text += "Effort that the model does not explain\n" + joints.to_string();
  if (result.cross_validation)
    text += fmt::format("  left out in turn ({} blocks by {}): {} %\n", result.cross_validation->blocks,
                        result.cross_validation->by, percent(result.cross_validation->residual.prepared));
  for (const steelyard::RunValidation& run : result.validation)
    if (run.fresh)
      text += fmt::format("  run '{}', not fitted: prepared {} %, raw {} %\n", run.run,
                          percent(run.residual.prepared), percent(run.residual.raw));
  if (!result.findings.empty()) text += "\nFindings\n";
  for (const steelyard::Finding& finding : result.findings)
    text += fmt::format("  {}{}: {}{}\n      {}\n", to_string(finding.severity),
                        finding.waived ? " (waived)" : "", finding.code,
                        finding.joint.empty() ? "" : " (" + finding.joint + ")", finding.evidence);
  text += fmt::format("\nVerdict: {}\n", to_string(result.verdict.level));
  for (const std::string& reason : result.verdict.reasons) text += "  " + reason + "\n";
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
    json["stages"].push_back({{"stage", time.stage}, {"seconds", time.seconds}});
  return json.dump(2) + "\n";
}

}  // namespace

void add_options(CLI::App& verb, RunOptions& options) {
  verb.add_option("STUDY", options.study, "Study file (.yaml)")->required();
  verb.footer("Example:\n  steelyard run examples/demo/study.yaml --out demo-result\n");
}

int run_study_verb(const RunOptions& options, const CommonOptions& common) {
  const auto begin = std::chrono::steady_clock::now();
  steelyard::Study study = steelyard::read_study(options.study);
  if (common.seed) set_seed(study, *common.seed);
  steelyard::OutputFolder folder(common.out);

  steelyard::StudyOptions study_options;
  study_options.threads = common.threads > 0 ? common.threads : steelyard::hardware_threads();
  steelyard::StudyOutcome outcome;
  {
    Progress progress(common.quiet || common.json);
    study_options.progress = [&](const std::string& stage, double share) { progress.report(stage, share); };
    outcome = run_study(study, study_options);
  }
  if (!common.quiet)
    for (const steelyard::Complaint& warning : outcome.warnings)
      print_problem("warning: " + warning.to_string());

  const std::string json = to_json(outcome.result);
  folder.write("result.json", json);
  const bool with_report = options.report && study.report;
  if (with_report)
    folder.write("report.html",
                 render_report(outcome.result, outcome.curves, {"steelyard run " + options.study}));
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  folder.write("run.json", run_json(outcome, common, seconds.count()));
  folder.commit();

  if (common.json) {
    print(json);
  } else if (!common.quiet) {
    print(summary_text(outcome.result));
    print(fmt::format("\nWritten: {}\n",
                      (folder.target() / (with_report ? "report.html" : "result.json")).string()));
  }
  return outcome.result.verdict.level == steelyard::VerdictLevel::not_trustworthy ? kNotTrustworthy : kDone;
}

}  // namespace cli
