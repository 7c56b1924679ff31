// Simulated fleets of 100 robots, with three faults and with none: misses, wrong causes, false alarms.
//   fleet_bench [FLEETS] [--robots N] [--scatter S]
// Small fleets with one fault each, of 4 to 40 robots with one and three days: which faults are named.
//   fleet_bench FLEETS --small [--robots N] [--days D] [--healthy]
// --healthy: fleets without a fault only, for false alarms.
// Friction of one joint that rises from day to day, in fleets of twelve: how often it is reported as a drift.
//   fleet_bench FLEETS --drift [--robots N]
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "steelyard/core/pool.hpp"
#include "steelyard/fleet/fleet.hpp"

namespace {

using namespace steelyard;

struct Expected {
  std::size_t robot;
  CauseKind kind;
  const char* of;
};

struct Tally {
  int named = 0, right = 0, alarms = 0, fleets_with_alarm = 0;
};

FleetStudy with_faults(FleetStudy study, int robots, bool has_faults) {
  study.fleet.robots = robots;
  study.fleet.days = 1;
  study.fleet.faults.clear();
  if (!has_faults) return study;
  FleetFault heavy, worn, gain;
  heavy.robot = 17;
  heavy.link = 3;
  heavy.mass = 0.8;
  worn.robot = 42;
  worn.joint = 2;
  worn.friction = 1.4;
  gain.robot = 71;
  gain.joint = 1;
  gain.gain = 1.08;
  study.fleet.faults = {heavy, worn, gain};
  return study;
}

void count_names(const FleetResult& result, const std::vector<Expected>& expected, Tally& tally) {
  bool alarm = false;
  for (std::size_t r = 0; r < result.robots.size(); ++r) {
    const FleetRobotResult& robot = result.robots[r];
    if (robot.causes.empty()) continue;
    const Expected* wanted = nullptr;
    for (const Expected& one : expected)
      if (one.robot == r + 1) wanted = &one;
    if (wanted == nullptr) {
      ++tally.alarms;
      alarm = true;
      fmt::print("  false alarm: {} {}\n", robot.name, robot.causes.front().text);
    } else {
      ++tally.named;
      const Cause& cause = robot.causes.front();
      if (cause.kind == wanted->kind && cause.of == wanted->of) {
        ++tally.right;
      } else {
        fmt::print("  wrong cause: {} {}\n", robot.name, cause.text);
      }
    }
  }
  tally.fleets_with_alarm += alarm;
}

struct SmallFault {
  const char* name;
  FleetFault fault;
  std::vector<CauseKind> kinds;  // that are right
};

std::vector<SmallFault> small_faults() {
  const auto mass = [](double kg) {
    FleetFault fault;
    fault.robot = 3, fault.link = 3, fault.mass = kg;
    return fault;
  };
  const auto joint = [](int number, double friction, double gain) {
    FleetFault fault;
    fault.robot = 3, fault.joint = number, fault.friction = friction, fault.gain = gain;
    return fault;
  };
  return {{"0.8 kg", mass(0.8), {CauseKind::mass}},
          {"3 kg", mass(3), {CauseKind::mass}},
          {"20 kg", mass(20), {CauseKind::mass}},
          {"friction x 1.4", joint(2, 1.4, 1), {CauseKind::friction}},
          {"friction x 2", joint(2, 2, 1), {CauseKind::friction}},
          {"friction x 20", joint(2, 20, 1), {CauseKind::friction}},
          {"gain 1.08", joint(1, 1, 1.08), {CauseKind::gain}},
          {"gain 1.5", joint(1, 1, 1.5), {CauseKind::gain}},
          {"torque in mN m", joint(1, 1, 1000), {CauseKind::set_up, CauseKind::fit}},
          {"torque dead", joint(1, 1, 0), {CauseKind::set_up, CauseKind::fit}}};
}

// Whether robot 3 is named for the right thing; others that are named are counted.
struct SmallTally {
  int named = 0, right = 0, others = 0;
};

SmallTally try_small(const FleetStudy& example, int robots, int days, const SmallFault* fault, int fleets,
                     const FleetRunOptions& options) {
  SmallTally tally;
  for (int fleet = 1; fleet <= fleets; ++fleet) {
    FleetStudy study = example;
    study.fleet.robots = robots;
    study.fleet.days = days;
    study.fleet.faults.clear();
    if (fault != nullptr) study.fleet.faults = {fault->fault};
    study.study.seed = static_cast<std::uint64_t>(1000 + fleet);
    const FleetResult result = run_fleet(study, options).result;
    for (std::size_t r = 0; r < result.robots.size(); ++r) {
      const std::vector<Cause>& causes = result.robots[r].causes;
      if (causes.empty()) continue;
      if (fault == nullptr || r != 2) {
        ++tally.others;
        continue;
      }
      ++tally.named;
      const std::vector<CauseKind>& kinds = fault->kinds;
      tally.right += std::find(kinds.begin(), kinds.end(), causes.front().kind) != kinds.end();
    }
  }
  return tally;
}

// One line per fault, one column per size: reported / of them with the right cause. Never fails: it shows
// limits.
int small_fleets(const FleetStudy& example, int fleets, const std::vector<int>& sizes,
                 const std::vector<int>& days, bool is_healthy, const FleetRunOptions& options) {
  std::string head = fmt::format("{:16}", fmt::format("of {} fleets", fleets));
  for (const int robots : sizes)
    for (const int day : days) head += fmt::format("{:>8}", fmt::format("{}x{}", robots, day));
  fmt::print("{}\n", head);
  const std::vector<SmallFault> faults = is_healthy ? std::vector<SmallFault>{} : small_faults();
  int others = 0;
  for (const SmallFault& fault : faults) {
    std::string line = fmt::format("{:16}", fault.name);
    for (const int robots : sizes)
      for (const int day : days) {
        const SmallTally tally = try_small(example, robots, day, &fault, fleets, options);
        line += fmt::format("{:>8}", fmt::format("{}/{}", tally.named, tally.right));
        others += tally.others;
      }
    fmt::print("{}\n", line);
    std::fflush(stdout);
  }
  std::string line = fmt::format("{:16}", "healthy");
  for (const int robots : sizes)
    for (const int day : days)
      line += fmt::format("{:>8}", try_small(example, robots, day, nullptr, fleets, options).others);
  fmt::print("{}\n", line);
  if (!is_healthy) fmt::print("{} healthy robots reported besides the faults\n", others);
  return 0;
}

// Wear a day down, days across: fleets in which robot 3 is reported to drift, by its friction, with all its
// logs.
int drifting_fleets(const FleetStudy& example, int fleets, int robots, const FleetRunOptions& options) {
  const std::vector<int> days = {3, 4, 6, 10, 20};
  std::string head = fmt::format("{:16}", fmt::format("of {} fleets", fleets));
  for (const int day : days) head += fmt::format("{:>9}", fmt::format("{} days", day));
  fmt::print("{}\n", head);
  int others = 0;
  for (const double wear : {0.0, 0.01, 0.03, 0.1, 0.2, 0.5, 1.0}) {
    std::string line = fmt::format("{:16}", fmt::format("{:g} % a day", 100 * wear));
    for (const int day : days) {
      int found = 0;
      for (int fleet = 1; fleet <= fleets; ++fleet) {
        FleetStudy study = example;
        study.fleet.robots = robots;
        study.fleet.days = day;
        FleetFault worn;
        worn.robot = 3, worn.joint = 3, worn.wear = wear;
        study.fleet.faults = {worn};
        study.study.seed = static_cast<std::uint64_t>(2000 + fleet);
        const FleetSummary summary = run_fleet(study, options);
        for (std::size_t r = 0; r < summary.result.robots.size(); ++r) {
          const std::vector<Drift>& drifts = summary.result.robots[r].drifts;
          if (drifts.empty()) continue;
          const std::string& parameter = drifts.front().parameter;
          const bool is_right = (parameter == "fc3" || parameter == "fv3") && summary.problems.empty();
          (r == 2 && wear > 0 && is_right ? found : others) += 1;
        }
      }
      line += fmt::format("{:>9}", found);
    }
    fmt::print("{}\n", line);
    std::fflush(stdout);
  }
  fmt::print("{} other drifts reported\n", others);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  int fleets = 10, robots = 0, days = 0;
  bool is_small = false, is_healthy = false, is_drift = false;
  double scatter = 0.025;
  for (int k = 1; k < argc; ++k) {
    if (std::strcmp(argv[k], "--robots") == 0 && k + 1 < argc) {
      robots = std::atoi(argv[++k]);
    } else if (std::strcmp(argv[k], "--scatter") == 0 && k + 1 < argc) {
      scatter = std::atof(argv[++k]);
    } else if (std::strcmp(argv[k], "--days") == 0 && k + 1 < argc) {
      days = std::atoi(argv[++k]);
    } else if (std::strcmp(argv[k], "--small") == 0) {
      is_small = true;
    } else if (std::strcmp(argv[k], "--drift") == 0) {
      is_drift = true;
    } else if (std::strcmp(argv[k], "--healthy") == 0) {
      is_healthy = true;
    } else {
      fleets = std::atoi(argv[k]);
    }
  }
  const FleetStudy example =
      read_fleet_study(std::string(STEELYARD_SOURCE_DIR) + "/examples/fleet/study.yaml");
  FleetRunOptions options;
  options.threads = hardware_threads();
  if (is_small)
    return small_fleets(example, fleets,
                        robots > 2 ? std::vector<int>{robots} : std::vector<int>{4, 6, 10, 16, 40},
                        days > 0 ? std::vector<int>{days} : std::vector<int>{1, 3}, is_healthy, options);
  if (is_drift) return drifting_fleets(example, fleets, robots > 2 ? robots : 12, options);
  if (robots == 0) robots = 100;
  if (robots < 71) {
    fmt::print(stderr,
               "usage: fleet_bench [FLEETS] [--robots N] [--scatter S], N at least 71\n"
               "       fleet_bench FLEETS --small [--robots N] [--days D] [--healthy]\n"
               "       fleet_bench FLEETS --drift [--robots N]\n");
    return 2;
  }
  const std::vector<Expected> faults = {{17, CauseKind::mass, "forearm"},
                                        {42, CauseKind::friction, "shoulder"},
                                        {71, CauseKind::gain, "column"}};
  bool is_good = true;
  for (const bool has_faults : {true, false}) {
    Tally tally;
    for (int fleet = 1; fleet <= fleets; ++fleet) {
      FleetStudy study = with_faults(example, robots, has_faults);
      study.study.seed = static_cast<std::uint64_t>(fleet);
      study.fleet.scatter = scatter;
      count_names(run_fleet(study, options).result, has_faults ? faults : std::vector<Expected>{}, tally);
    }
    if (has_faults)
      fmt::print(
          "{} fleets of {} with three faults: {} of {} named, {} with the right cause, {} others named\n",
          fleets, robots, tally.named, 3 * fleets, tally.right, tally.alarms);
    else
      fmt::print("{} healthy fleets of {}: {} robots named, in {} fleets\n", fleets, robots, tally.alarms,
                 tally.fleets_with_alarm);
    if (has_faults) is_good = tally.named == 3 * fleets;
  }
  return is_good ? 0 : 1;
}
