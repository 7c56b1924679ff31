// excite.json and next.json (docs/excite.md).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "steelyard/core/error.hpp"
#include "steelyard/identify/excite.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

using nlohmann::ordered_json;

// Numbers are finite or absent.
void put(ordered_json& json, const char* key, double value) {
  if (std::isfinite(value)) json[key] = value;
}

ordered_json report_json(const MotionReport& report) {
  ordered_json json;
  put(json, "log_det", report.log_det);
  put(json, "condition", report.condition);
  put(json, "condition_scaled", report.condition_scaled);
  return json;
}

ordered_json parameters_json(const MotionReport& report) {
  ordered_json list = ordered_json::array();
  for (const Outlook& outlook : report.parameters) {
    ordered_json one{{"name", outlook.parameter}};
    put(one, "sigma", outlook.sigma);
    put(one, "sigma_before", outlook.sigma_before);
    put(one, "inflation", outlook.inflation);
    if (outlook.poor) one["poor"] = outlook.why;
    list.push_back(std::move(one));
  }
  return list;
}

ordered_json limits_json(const MotionReport& report) {
  ordered_json list = ordered_json::array();
  for (const LimitUse& use : report.limits) {
    ordered_json one{{"limit", use.what}};
    put(one, "worst", use.worst);
    put(one, "allowed", use.limit);
    put(one, "share", use.share);
    put(one, "time", use.time);
    list.push_back(std::move(one));
  }
  return list;
}

ordered_json motion_json(const ExcitedMotion& found) {
  ordered_json json;
  json["before"] = report_json(found.before);
  json["after"] = report_json(found.report);
  json["starts"] = found.starts;
  json["best_start"] = found.best_start;
  json["evaluations"] = found.evaluations;
  json["time_limit_reached"] = found.time_limit_reached;
  json["notes"] = found.notes;
  json["parameters"] = parameters_json(found.report);
  json["limits"] = limits_json(found.report);
  return json;
}

ordered_json head_json(const Robot& robot, const ExciteOptions& options) {
  ordered_json json;
  json["format_version"] = 1;
  json["robot"] = {{"name", robot.name}, {"dof", robot.dof()}};
  json["duration"] = options.duration;
  json["rows_per_second"] = options.rate;
  json["seed"] = options.seed;
  json["version"] = STEELYARD_VERSION;
  return json;
}

}  // namespace

std::vector<Shrinkage> shrinkages(const NextOutcome& outcome, const std::string& previous) {
  std::vector<Shrinkage> list;
  try {
    const ordered_json before = ordered_json::parse(previous);
    for (const auto& one : before.at("candidates").at(0).at("parameters")) {
      const std::string name = one.at("name");
      const auto at = std::find(outcome.parameters.begin(), outcome.parameters.end(), name);
      if (at == outcome.parameters.end() || !one.contains("sigma") || !one.contains("sigma_before")) continue;
      const double now = outcome.sigma[at - outcome.parameters.begin()];
      if (!std::isfinite(now)) continue;
      const double was = one.at("sigma_before"), predicted = one.at("sigma");
      list.push_back({name, was / predicted, was / now});
    }
  } catch (const nlohmann::json::exception& error) {
    throw InputError({fmt::format("the earlier prediction cannot be read: {}", error.what()),
                      {},
                      "a next.json",
                      "give the file that `steelyard next` wrote before the last run"});
  }
  return list;
}

std::string to_json(const ExciteOutcome& outcome) {
  ordered_json json = head_json(outcome.robot, outcome.options);
  json["motion"] = to_string(outcome.options.kind);
  json.update(motion_json(outcome.found));
  return json.dump(2) + "\n";
}

std::string to_json(const NextOutcome& outcome, const std::string& previous) {
  ordered_json json = head_json(outcome.robot, outcome.options);
  json["candidates"] = ordered_json::array();
  for (const NextCandidate& candidate : outcome.candidates) {
    ordered_json one{{"kind", candidate.kind}};
    put(one, "log_det", candidate.log_det);
    if (!candidate.shrinks.empty()) {
      one["shrinks"] = candidate.shrinks;
      put(one, "factor", candidate.most);
    }
    if (candidate.load > 0) {
      one["load"] = candidate.load;
      one["gains"] = ordered_json::array();
      const std::vector<int> joints = coordinates(outcome.robot).joints;
      for (Index j = 0; j < candidate.gain_sigma.size(); ++j) {
        const std::size_t at = static_cast<std::size_t>(joints[static_cast<std::size_t>(j)]);
        ordered_json gain{{"joint", outcome.robot.joints[at].name}};
        put(gain, "sigma", candidate.gain_sigma[j]);
        one["gains"].push_back(std::move(gain));
      }
    }
    if (candidate.motion) one["motion"] = motion_json(*candidate.motion);
    if (candidate.poses.size() > 0) {
      one["poses"] = ordered_json::array();
      for (Index k = 0; k < candidate.poses.rows(); ++k) {
        const VectorXd pose = candidate.poses.row(k).transpose();
        one["poses"].push_back(std::vector<double>(pose.data(), pose.data() + pose.size()));
      }
    }
    one["parameters"] = ordered_json::array();
    for (std::size_t k = 0; k < outcome.parameters.size(); ++k) {
      ordered_json parameter{{"name", outcome.parameters[k]}};
      put(parameter, "sigma_before", outcome.sigma[static_cast<Index>(k)]);
      put(parameter, "sigma", candidate.sigma[static_cast<Index>(k)]);
      one["parameters"].push_back(std::move(parameter));
    }
    json["candidates"].push_back(std::move(one));
  }
  if (!previous.empty()) {
    json["achieved"] = ordered_json::array();
    for (const Shrinkage& one : shrinkages(outcome, previous))
      json["achieved"].push_back(
          {{"name", one.parameter}, {"predicted", one.predicted}, {"achieved", one.achieved}});
  }
  return json.dump(2) + "\n";
}

}  // namespace steelyard
