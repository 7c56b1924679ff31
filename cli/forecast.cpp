// steelyard forecast RESULT STUDY: the error to expect of a result's model on the motions of a study; nothing is
// written.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "output.hpp"
#include "steelyard/core/text_file.hpp"
#include "steelyard/identify/run.hpp"
#include "steelyard/study/study.hpp"
#include "study_output.hpp"
#include "verbs.hpp"

namespace cli {
namespace {

using steelyard::ForecastOutcome;
using steelyard::JointForecast;
using steelyard::MotionForecast;
using steelyard::RunForecast;

nlohmann::ordered_json to_json(const MotionForecast& forecast) {
  nlohmann::ordered_json json = {
      {"expected", forecast.expected}, {"lower", forecast.lower}, {"upper", forecast.upper}};
  json["joints"] = nlohmann::ordered_json::array();
  for (const JointForecast& joint : forecast.per_joint) {
    nlohmann::ordered_json row = {{"name", joint.name}, {"rms", joint.rms}};
    if (joint.expected) row["expected"] = *joint.expected;
    if (joint.upper) row["upper"] = *joint.upper;
    json["joints"].push_back(std::move(row));
  }
  return json;
}

std::string forecast_json(const ForecastOutcome& outcome) {
  nlohmann::ordered_json json = {{"runs", nlohmann::ordered_json::array()}};
  for (const RunForecast& run : outcome.runs) {
    nlohmann::ordered_json row = {{"run", run.run}, {"forecast", to_json(run.estimate)}};
    if (run.links) row["feasible_forecast"] = to_json(*run.links);
    json["runs"].push_back(std::move(row));
  }
  return json.dump(2) + "\n";
}

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
  return fmt::format("Effort that will be unexplained on '{}'\n", run.run) + table.to_string();
}

int run_forecast(const std::string& result, const std::string& path, const CommonOptions& common) {
  const steelyard::Result model =
      steelyard::result_from_json(steelyard::read_text_file(result, "result"), result);
  const steelyard::Study study = steelyard::read_study(path);
  ForecastOutcome outcome;
  {
    Progress progress(common.quiet || common.json);
    outcome = forecast_study(study, model, study_options(common, progress));
  }
  if (!common.quiet) print_warnings(outcome.warnings);
  if (common.json) {
    print(forecast_json(outcome));
    return kDone;
  }
  for (const RunForecast& run : outcome.runs) print(forecast_text(run));
  return kDone;
}

}  // namespace

Run add_forecast(Arguments& verb) {
  const auto result = std::make_shared<std::string>();
  const auto study = std::make_shared<std::string>();
  verb.add("RESULT", *result, "result.json of an earlier run").required();
  verb.add("STUDY", *study, "Study file (.yaml) with the motions; their efforts are not used").required();
  verb.footer("Example:\n  steelyard forecast demo-result/result.json other-runs.yaml\n");
  return [result, study](const CommonOptions& common) { return run_forecast(*result, *study, common); };
}

}  // namespace cli
