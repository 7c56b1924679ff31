// Forecasts of a study's motions as JSON, for programs.
#include <nlohmann/json.hpp>

#include "steelyard/identify/run.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

nlohmann::ordered_json json_of(const MotionForecast& forecast) {
  nlohmann::ordered_json out = {
      {"expected", forecast.expected}, {"lower", forecast.lower}, {"upper", forecast.upper}};
  out["joints"] = nlohmann::ordered_json::array();
  for (const JointForecast& joint : forecast.per_joint) {
    nlohmann::ordered_json row = {{"name", joint.name}, {"rms", joint.rms}};
    if (joint.expected) row["expected"] = *joint.expected;
    if (joint.upper) row["upper"] = *joint.upper;
    out["joints"].push_back(std::move(row));
  }
  return out;
}

}  // namespace

std::string to_json(const ForecastOutcome& outcome) {
  nlohmann::ordered_json out = {{"runs", nlohmann::ordered_json::array()}};
  for (const RunForecast& run : outcome.runs) {
    nlohmann::ordered_json row = {{"run", run.run}, {"forecast", json_of(run.estimate)}};
    if (run.links) row["feasible_forecast"] = json_of(*run.links);
    out["runs"].push_back(std::move(row));
  }
  return out.dump(2) + "\n";
}

}  // namespace steelyard
