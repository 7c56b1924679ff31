#include <cmath>
#include <limits>

#include "steelyard/core/json_writer.hpp"
#include "steelyard/fleet/fleet.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr int kFleetFormat = 1;

void put(JsonWriter& json, const char* key, double number) {
  json.key(key);
  if (std::isfinite(number)) {
    json.value(number);
  } else {
    json.null();
  }
}

void put(JsonWriter& json, const char* key, const VectorXd& numbers) {
  json.key(key).begin_flat_array();
  for (const double number : numbers) {
    if (std::isfinite(number)) {
      json.value(number);
    } else {
      json.null();
    }
  }
  json.end_array();
}

void put_cause(JsonWriter& json, const Cause& cause) {
  json.begin_object();
  json.key("kind").value(to_string(cause.kind));
  json.key("of").value(cause.of);
  put(json, "amount", cause.amount);
  put(json, "sigma", cause.sigma);
  if (cause.kind == CauseKind::mass) put(json, "at", VectorXd(cause.at));
  put(json, "gain", cause.gain);
  // Faults of a log have no p-value.
  const bool is_log = cause.kind == CauseKind::fit || cause.kind == CauseKind::set_up;
  put(json, "p", is_log && cause.p == 0 ? std::numeric_limits<double>::quiet_NaN() : cause.p);
  json.key("text").value(cause.text);
  if (!cause.instead.empty()) json.key("instead").value(cause.instead);
  json.end_object();
}

void put_drift(JsonWriter& json, const Drift& drift) {
  json.begin_object();
  json.key("parameter").value(drift.parameter);
  if (drift.since.empty()) {
    put(json, "slope", drift.slope);
  } else {
    put(json, "step", drift.step);
    json.key("since").value(drift.since);
  }
  put(json, "sigma", drift.sigma);
  put(json, "relative", drift.relative);
  put(json, "p", drift.p);
  json.key("text").value(drift.text);
  json.end_object();
}

void put_robot(JsonWriter& json, const FleetRobotResult& robot) {
  json.begin_object();
  json.key("name").value(robot.name);
  put(json, "residual", robot.residual);
  put(json, "fleet_residual", robot.fleet_residual);
  json.key("causes").begin_array();
  for (const Cause& cause : robot.causes) put_cause(json, cause);
  json.end_array();
  json.key("drifts").begin_array();
  for (const Drift& drift : robot.drifts) put_drift(json, drift);
  json.end_array();
  put(json, "values", robot.values);
  put(json, "sigma", robot.sigma);
  put(json, "deviation", robot.deviation);
  json.end_object();
}

void put_log(JsonWriter& json, const FleetLogSummary& log) {
  json.begin_object();
  json.key("robot").value(log.robot);
  json.key("log").value(log.log);
  if (!log.path.empty()) json.key("path").value(log.path);
  if (!log.sha256.empty()) json.key("sha256").value(log.sha256);
  put(json, "time", log.time);
  json.key("samples").value(static_cast<std::int64_t>(log.samples));
  put(json, "noise_factor", log.noise_factor);
  json.end_object();
}

void put_parameters(JsonWriter& json, const FleetResult& result) {
  json.key("parameters").begin_array();
  for (std::size_t i = 0; i < result.columns.size(); ++i) {
    const auto k = static_cast<Index>(i);
    json.begin_object();
    json.key("name").value(result.columns[i]);
    put(json, "value", result.values[k]);
    put(json, "sigma", result.sigma[k]);
    put(json, "scatter", result.scatter[k]);
    json.end_object();
  }
  json.end_array();
}

void put_origin(JsonWriter& json, const FleetSummary& summary) {
  json.key("logs").begin_array();
  for (const FleetLogSummary& log : summary.logs) put_log(json, log);
  json.end_array();
  json.key("problems").begin_array();
  for (const FleetProblem& problem : summary.problems) {
    json.begin_object();
    json.key("robot").value(problem.robot);
    json.key("log").value(problem.log);
    json.key("path").value(problem.path);
    if (!problem.finding.empty()) json.key("finding").value(problem.finding);
    json.key("message").value(problem.message);
    json.end_object();
  }
  json.end_array();
  json.key("lost").begin_flat_array();
  for (const std::string& name : summary.lost) json.value(name);
  json.end_array();
  json.key("provenance").begin_object();
  json.key("options").value(summary.provenance.options);
  json.key("seed").value(summary.provenance.seed);
  json.key("version").value(summary.provenance.version);
  json.key("isa").value(summary.provenance.isa);
  json.end_object();
}

}  // namespace

std::string to_json(const FleetSummary& summary) {
  JsonWriter json(JsonStyle::readable);
  const FleetResult& result = summary.result;
  json.begin_object();
  json.key("format_version").value(kFleetFormat);
  json.key("robot").begin_object();
  json.key("name").value(summary.robot_name);
  json.key("hash").value(summary.robot_hash);
  json.end_object();
  json.key("level").value(summary.level);
  json.key("time_unit").value(summary.time_unit);
  json.key("compared").value(static_cast<std::int64_t>(result.compared));
  json.key("healthy").value(static_cast<std::int64_t>(result.healthy));
  put(json, "least_deviations", result.least_deviations);
  json.key("tests").value(static_cast<std::int64_t>(result.tests));
  json.key("rounds").value(result.rounds);
  json.key("named").begin_flat_array();
  for (const FleetRobotResult& robot : result.robots)
    if (!robot.causes.empty()) json.value(robot.name);
  json.end_array();
  if (!result.unavailable.empty()) json.key("unavailable").value(result.unavailable);
  put_parameters(json, result);
  json.key("robots").begin_array();
  for (const FleetRobotResult& robot : result.robots) put_robot(json, robot);
  json.end_array();
  put_origin(json, summary);
  json.end_object();
  return json.text() + "\n";
}

}  // namespace steelyard
