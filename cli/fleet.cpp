// steelyard fleet STUDY: robots of one type against each other, from the logs of all of them.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "output.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/core/pool.hpp"
#include "steelyard/fleet/fleet.hpp"
#include "steelyard/identify/run.hpp"
#include "steelyard/simulate/simulate.hpp"
#include "steelyard/study/study.hpp"
#include "study_output.hpp"
#include "text.hpp"
#include "verbs.hpp"

namespace cli {
namespace {

struct FleetVerb {
  std::string study;
  std::string logs;  // folder for the logs of a simulated fleet
  bool fresh = false;
};

// robot-07-2026-01-03.csv: names that a fleet study of files understands.
int write_fleet_logs(const steelyard::FleetStudy& study, const std::string& target,
                     const CommonOptions& common) {
  if (!study.fleet.run.simulation)
    throw steelyard::InputError(
        {"the fleet is not simulated", {study.study.path, 0, 0, ""}, "", "add `simulate:` to `fleet:`"});
  const steelyard::Robot robot = study_robot(study.study);
  const std::vector<steelyard::LogJoint> joints = log_joints(robot);
  steelyard::OutputFolder folder(target, study_inputs(study.study));
  const steelyard::FleetLogs logs = fleet_logs(study, robot);
  for (const steelyard::FleetStudyLog& log : logs.logs) {
    const std::chrono::sys_days first = std::chrono::year{2026} / 1 / 1;
    const std::chrono::year_month_day day{first + std::chrono::days(static_cast<int>(log.time) - 1)};
    const std::string name =
        fmt::format("{}-{}-{:02}-{:02}.csv", log.robot, static_cast<int>(day.year()),
                    static_cast<unsigned>(day.month()), static_cast<unsigned>(day.day()));
    const std::unique_ptr<steelyard::SampleSource> source = open_study_run(log.run, robot);
    write_csv(*source, standard_columns((folder.path() / name).string(), source->channels(), joints), joints);
  }
  folder.commit();
  if (!common.quiet)
    print(fmt::format("Written: {} logs in {}\n", logs.logs.size(), folder.target().string()));
  return kDone;
}

// Few robots report only what is far out; a user should not take silence for health.
std::string limit_text(const steelyard::FleetResult& result) {
  constexpr double kUsual = 8;  // standard deviations: what sixteen robots need
  if (!result.unavailable.empty() || result.least_deviations < kUsual) return "";
  return wrapped(
      fmt::format("With {} robots to compare, one is reported only when it is off by more than {} times "
                  "what healthy robots differ by.",
                  result.compared, number(result.least_deviations, 2)),
      "\n", "");
}

bool is_of_log(const steelyard::Cause& cause) {
  return cause.kind == steelyard::CauseKind::fit || cause.kind == steelyard::CauseKind::set_up;
}

// Whether the comparison is complete: all logs used, and robots could be reported.
bool is_whole(const steelyard::FleetSummary& summary) {
  return summary.problems.empty() && summary.result.unavailable.empty();
}

std::vector<std::filesystem::path> fleet_inputs(const steelyard::FleetStudy& study) {
  std::vector<std::string> files;
  if (!study.fleet.run.simulation)
    for (const steelyard::FleetStudyLog& log : fleet_logs(study, study_robot(study.study)).logs)
      files.push_back(log.run.file.path);
  return study_inputs(study.study, files);
}

std::string fleet_text(const steelyard::FleetSummary& summary, const std::string& out) {
  const steelyard::FleetResult& result = summary.result;
  std::string text = fmt::format("{}: {} robots, {} logs, {} parameters\n", summary.robot_name,
                                 result.robots.size(), summary.logs.size(), result.columns.size());
  if (!result.unavailable.empty()) text += wrapped(result.unavailable, "\n", "");
  std::size_t width = 0;
  for (const steelyard::FleetRobotResult& robot : result.robots) width = std::max(width, robot.name.size());
  std::string named, drifts;
  for (const steelyard::FleetRobotResult& robot : result.robots) {
    for (const steelyard::Cause& cause : robot.causes) {
      named += wrapped(cause.text + (is_of_log(cause) ? "" : fmt::format(" (p {})", number(cause.p, 2))),
                       fmt::format("  {:{}}  ", robot.name, width), std::string(width + 4, ' '));
      if (!cause.instead.empty()) named += fmt::format("  {:{}}  or: {}\n", "", width, cause.instead);
    }
    for (const steelyard::Drift& drift : robot.drifts)
      drifts += fmt::format("  {:{}}  {} (p {})\n", robot.name, width, drift.text, number(drift.p, 2));
  }
  if (!named.empty()) {
    text += "\nRobots that differ from the fleet\n" + named;
  } else if (result.unavailable.empty()) {
    text += "\nNo robot differs from the fleet.\n";
  }
  text += limit_text(result);
  if (!drifts.empty()) text += "\nDrift\n" + drifts;
  if (!summary.problems.empty()) {
    text += "\nLogs that could not be used or were left out\n";
    for (const steelyard::FleetProblem& problem : summary.problems)
      text += wrapped(problem.message, fmt::format("{} {}: ", problem.robot, problem.log), "  ");
  }
  return text + fmt::format("\nWritten: {}\n", out);
}

int run_fleet_verb(const FleetVerb& verb, const CommonOptions& common) {
  steelyard::FleetStudy study = steelyard::read_fleet_study(verb.study);
  if (common.seed) study.study.seed = *common.seed;
  if (!verb.logs.empty()) return write_fleet_logs(study, verb.logs, common);
  steelyard::OutputFolder folder(common.out, fleet_inputs(study));
  steelyard::FleetRunOptions options;
  options.threads = common.threads > 0 ? common.threads : steelyard::hardware_threads();
  options.state_folder = folder.target().string() + ".state";
  if (verb.fresh) steelyard::forget_fleet_state(options.state_folder);
  steelyard::FleetSummary summary;
  {
    Progress progress(common.quiet || common.json);
    options.progress = [&](steelyard::Index done, steelyard::Index logs) {
      progress.report(fmt::format("log {} of {}", done, logs),
                      static_cast<double>(done) / static_cast<double>(logs));
    };
    summary = run_fleet(study, options);
  }
  const std::string json = to_json(summary);
  folder.write("fleet.json", json);
  if (study.study.report)
    folder.write("fleet.html", render_fleet(summary, {command_text("fleet", verb.study, common)}));
  folder.commit();
  if (common.json) {
    print(json);
  } else if (!common.quiet) {
    print(fleet_text(summary, folder.target().string()));
  }
  return is_whole(summary) ? kDone : kNotTrustworthy;
}

}  // namespace

Run add_fleet(Arguments& verb) {
  const auto options = std::make_shared<FleetVerb>();
  verb.add("STUDY", options->study, "Study file (.yaml) with `fleet:`").required();
  verb.add("--logs", options->logs, "Write the logs of a simulated fleet to this folder, and stop");
  verb.add_flag("--fresh", options->fresh, "Fold all logs again, also those in the state folder (OUT.state)");
  verb.footer("Example:\n  steelyard fleet examples/fleet/study.yaml --out fleet-result\n");
  return [options](const CommonOptions& common) { return run_fleet_verb(*options, common); };
}

}  // namespace cli
