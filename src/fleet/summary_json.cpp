// fleet.json and docs/fleet.schema.json, from one description of a fleet's summary.
#include <limits>

#include "steelyard/core/described.hpp"
#include "steelyard/fleet/fleet.hpp"
#include "steelyard/fleet/schema.hpp"
#include "steelyard/result/json_text.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr std::int64_t kFleetFormat = 1;

// Numbers that are not known are null.
Key number_key(const char* name, const char* unit, const char* meaning) {
  return nullable(must(name, unit, meaning));
}

}  // namespace

void describe(Fields& f, Cause& x) {
  using enum CauseKind;
  f.choice(must("kind", "", "of the difference (docs/fleet.md)"), x.kind,
           {{to_string(mass), mass},
            {to_string(friction), friction},
            {to_string(offset), offset},
            {to_string(gain), gain},
            {to_string(zero), zero},
            {to_string(other), other},
            {to_string(fit), fit},
            {to_string(set_up), set_up}});
  f.text(must("of", "", "link, joint, log, or parameter that differs most"), x.of);
  f.number(number_key("amount", "", "in the unit of its kind"), x.amount, any_number());
  f.number(number_key("sigma", "", "standard deviation of the amount"), x.sigma, at_least(0));
  bool has_place = x.kind == mass;
  f.group("at", has_place, [&](Fields& g) {
    g.point(number_key("at", "m", "of a mass, in the link's frame; absent for other kinds"), x.at);
  });
  f.number(number_key("gain", "", "by which the squared residual decreases"), x.gain, any_number());
  const bool is_log = x.kind == fit || x.kind == set_up;
  double p = is_log && x.p == 0 ? std::numeric_limits<double>::quiet_NaN() : x.p;
  f.number(number_key("p", "", "corrected for robots and causes; null for faults of a log"), p,
           from_to(0, 1));
  f.text(must("text", "", "the cause in words"), x.text);
  f.text(may("instead", "", "the next cause, when it is nearly as good"), x.instead);
}

void describe(Fields& f, Drift& x) {
  f.text(must("parameter", "", "that changes over time"), x.parameter);
  bool is_step = !x.since.empty(), is_line = !is_step;
  f.group("slope", is_line, [&](Fields& g) {
    g.number(number_key("slope", "", "of a line, per time_unit"), x.slope, any_number());
  });
  f.group("step", is_step, [&](Fields& g) {
    g.number(number_key("step", "", "instead of a line"), x.step, any_number());
    g.text(must("since", "", "the first log after the step"), x.since);
  });
  f.number(number_key("sigma", "", "standard deviation of slope or step"), x.sigma, at_least(0));
  f.number(number_key("relative", "", "slope or step over the fleet's value; 0 when that may be 0"),
           x.relative, any_number());
  f.number(number_key("p", "", "corrected for the number of tests"), x.p, from_to(0, 1));
  f.text(must("text", "", "the drift in words"), x.text);
}

void describe(Fields& f, FleetRobotResult& x) {
  f.text(must("name", "", "of the robot"), x.name);
  f.number(number_key("residual", "", "‖τ − τ̂‖ / ‖τ‖ of its own fit"), x.residual, at_least(0));
  f.number(number_key("fleet_residual", "", "the same with the fleet's parameters"), x.fleet_residual,
           at_least(0));
  f.sections(must("causes", "", "of its differences from the fleet; empty when none is reported"), x.causes);
  f.sections(must("drifts", "", "of its parameters"), x.drifts);
  f.numbers(number_key("values", "SI", "its own estimates, in the order of parameters"), x.values,
            any_number());
  f.numbers(number_key("sigma", "SI", "their standard deviations"), x.sigma, at_least(0));
  f.numbers(number_key("deviation", "", "from the fleet, in standard deviations of estimate and scatter"),
            x.deviation, any_number());
}

void describe(Fields& f, FleetLogSummary& x) {
  f.text(must("robot", "", "its name"), x.robot);
  f.text(must("log", "", "its name"), x.log);
  f.text(may("path", "", "relative to the study where possible; absent when simulated"), x.path);
  f.text(matching(may("sha256", "", "of its bytes; absent when simulated"), "[0-9a-f]{64}"), x.sha256);
  f.number(number_key("time", "", "in time_unit"), x.time, any_number());
  f.count(must("samples", "", "of the log"), x.samples, at_least(0));
  f.number(
      number_key("noise_factor", "", "standard deviation over blocks of time over that of independent rows"),
      x.noise_factor, at_least(0));
}

void describe(Fields& f, FleetProblem& x) {
  f.text(must("robot", "", "its name"), x.robot);
  f.text(must("log", "", "its name"), x.log);
  f.text(must("path", "", "of the log; may be empty"), x.path);
  f.text(may("finding", "", "the doctor's code, same-log, fit or set-up; absent when it was not read"),
         x.finding);
  f.text(must("message", "", "why the log was not used"), x.message);
}

namespace {

void describe_result(Fields& f, FleetResult& x) {
  f.count(must("compared", "", "robots, healthy or not"), x.compared, at_least(0));
  f.count(must("healthy", "", "robots behind the parameters"), x.healthy, at_least(0));
  f.number(number_key("least_deviations", "", "of the healthy scatter, from which a robot is reported"),
           x.least_deviations, at_least(0));
  f.count(must("tests", "", "robots times causes"), x.tests, at_least(0));
  f.count(must("rounds", "", "until the set of healthy robots no longer changed"), x.rounds, at_least(0));
  std::vector<std::string> named;
  for (const FleetRobotResult& robot : x.robots)
    if (!robot.causes.empty()) named.push_back(robot.name);
  f.texts(must("named", "", "robots with a cause"), named);
  f.text(may("unavailable", "", "why no robot could be reported; absent when it could"), x.unavailable);
  f.list(must("parameters", "", "of the fleet"), x.columns.size(), [&](Fields& item, std::size_t k) {
    const bool is_one = k < x.columns.size();
    const auto at = static_cast<Index>(k);
    std::string name = is_one ? x.columns[k] : "";
    double value = is_one ? x.values[at] : 0, sigma = is_one ? x.sigma[at] : 0,
           scatter = is_one ? x.scatter[at] : 0;
    item.section(must("", "", ""), [&](Fields& g) {
      g.text(must("name", "", "lead column"), name);
      g.number(number_key("value", "SI", "estimate"), value, any_number());
      g.number(number_key("sigma", "SI", "standard deviation, with robots as blocks"), sigma, at_least(0));
      g.number(number_key("scatter", "SI", "standard deviation between healthy robots"), scatter,
               at_least(0));
    });
  });
  f.sections(must("robots", "", "in the order of their names"), x.robots);
}

void describe_fleet(Fields& f, FleetSummary& x) {
  std::int64_t format = kFleetFormat;
  f.whole(must("format_version", "", "within one version keys are only added"), format,
          from_to(kFleetFormat, kFleetFormat));
  f.section(must("robot", "", "the type of all robots"), [&](Fields& g) {
    g.text(must("name", "", "as its file has it"), x.robot_name);
    g.text(must("hash", "", "of everything in the robot that the numbers depend on"), x.robot_hash);
  });
  f.number(must("level", "", "probability of any report in a healthy fleet; the same for drifts"), x.level,
           from_to(0, 1));
  f.text(matching(must("time_unit", "", "of times and slopes"), "day|log"), x.time_unit);
  describe_result(f, x.result);
  f.sections(must("logs", "", "that were used"), x.logs);
  f.sections(must("problems", "", "logs that could not be used, or were left out"), x.problems);
  f.texts(must("lost", "", "robots without any usable log"), x.lost);
  f.section(must("provenance", "", "where the numbers came from"), [&](Fields& g) {
    g.text(must("options", "", "the study with all defaults written out, as text"), x.provenance.options);
    g.count(must("seed", "", "of all random numbers; may exceed 2⁵³"), x.provenance.seed, at_least(0));
    g.text(must("version", "", "of the program"), x.provenance.version);
    g.text(must("isa", "", "instruction set level that was used"), x.provenance.isa);
  });
}

}  // namespace

std::string to_json(const FleetSummary& summary) {
  FleetSummary described = summary;
  return json_text([&](Fields& fields) { describe_fleet(fields, described); }) + "\n";
}

std::string fleet_schema() {
  FleetSummary summary;
  return schema_text("Steelyard fleet",
                     "Robots of one type against each other (fleet.json). docs/fleet.md explains the keys. "
                     "Numbers that are not known are null.",
                     [&](Fields& fields) { describe_fleet(fields, summary); });
}

}  // namespace steelyard
