// steelyard forecast RESULT STUDY: the error to expect of a result's model on the motions of a study; nothing is
// written.
#include <fmt/format.h>

#include "output.hpp"
#include "steelyard/core/text_file.hpp"
#include "steelyard/identify/run.hpp"
#include "steelyard/init/motion_file.hpp"
#include "steelyard/study/study.hpp"
#include "study_output.hpp"
#include "verbs.hpp"

namespace cli {
namespace {

using steelyard::ForecastOutcome;
using steelyard::JointForecast;
using steelyard::RunForecast;

std::string share(const std::optional<double>& value) {
  return !value ? "-" : *value > 1 ? "unknown" : fmt::format("{:.2f}", 100 * *value);
}

std::string forecast_text(const RunForecast& run) {
  std::vector<std::string> head = {"joint", "rms", "expected %", "90 % at most"};
  if (run.links)
    for (const char* more : {"links: rms", "expected %", "90 % at most"}) head.emplace_back(more);
  Table table(head);
  for (std::size_t j = 0; j < run.estimate.per_joint.size(); ++j) {
    const JointForecast& joint = run.estimate.per_joint[j];
    std::vector<std::string> row = {joint.name, number(joint.rms, 3), share(joint.expected),
                                    share(joint.upper)};
    if (run.links) {
      const JointForecast& link = run.links->per_joint[j];
      for (std::string cell : {number(link.rms, 3), share(link.expected), share(link.upper)})
        row.push_back(std::move(cell));
    }
    table.add(row);
  }
  std::vector<std::string> all = {"all", "", share(run.estimate.expected), share(run.estimate.upper)};
  if (run.links)
    for (std::string cell : {std::string(), share(run.links->expected), share(run.links->upper)})
      all.push_back(std::move(cell));
  table.add(all);
  return fmt::format("Effort that will be unexplained on '{}'\n", run.run) + table.to_string() +
         worst_text(run.links ? *run.links : run.estimate);
}

struct ForecastArguments {
  std::string result, study;
  std::vector<std::string> motions;
};

int run_forecast(const ForecastArguments& arguments, const CommonOptions& common) {
  const steelyard::Result model =
      steelyard::result_from_json(steelyard::read_text_file(arguments.result, "result"), arguments.result);
  steelyard::Study study = steelyard::read_study(arguments.study, arguments.motions.empty(), false);
  if (!arguments.motions.empty()) {
    const steelyard::Robot robot = study_robot(study);
    study.runs.clear();
    for (const std::string& motion : arguments.motions)
      study.runs.push_back(steelyard::motion_run(motion, robot));
  }
  ForecastOutcome outcome;
  {
    Progress progress(common.quiet || common.json);
    outcome = forecast_study(study, model, study_options(common, progress));
  }
  if (!common.quiet) print_warnings(outcome.warnings);
  if (common.json) {
    print(to_json(outcome));
    return kDone;
  }
  for (const RunForecast& run : outcome.runs) print(forecast_text(run));
  return kDone;
}

}  // namespace

Run add_forecast(Arguments& verb) {
  const auto arguments = std::make_shared<ForecastArguments>();
  verb.add("RESULT", arguments->result, "result.json of an earlier run").required();
  verb.add("STUDY", arguments->study,
           "Study file (.yaml): robot, preparation and motions; efforts are not used, and need not be there")
      .required();
  verb.add("MOTION", arguments->motions,
           "Files with time and joint positions, instead of the study's runs; columns by their names");
  verb.footer(
      "Examples:\n  steelyard forecast demo-result/result.json other-runs.yaml\n"
      "  steelyard forecast demo-result/result.json study.yaml planned.csv\n");
  return [arguments](const CommonOptions& common) { return run_forecast(*arguments, common); };
}

}  // namespace cli
