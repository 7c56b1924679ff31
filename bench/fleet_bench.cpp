// Simulated fleets of 100 robots, with three faults and with none: misses, wrong causes, false alarms.
//   fleet_bench [FLEETS] [--robots N] [--scatter S]
#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include "steelyard/core/pool.hpp"
#include "steelyard/study/fleet_study.hpp"

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

}  // namespace

int main(int argc, char** argv) {
  int fleets = 10, robots = 100;
  double scatter = 0.025;
  for (int k = 1; k < argc; ++k) {
    if (std::strcmp(argv[k], "--robots") == 0 && k + 1 < argc) {
      robots = std::atoi(argv[++k]);
    } else if (std::strcmp(argv[k], "--scatter") == 0 && k + 1 < argc) {
      scatter = std::atof(argv[++k]);
    } else {
      fleets = std::atoi(argv[k]);
    }
  }
  if (robots < 71) {
    fmt::print(stderr, "usage: fleet_bench [FLEETS] [--robots N] [--scatter S], N at least 71\n");
    return 2;
  }
  const FleetStudy example =
      read_fleet_study(std::string(STEELYARD_SOURCE_DIR) + "/examples/fleet/study.yaml");
  const std::vector<Expected> faults = {{17, CauseKind::mass, "forearm"},
                                        {42, CauseKind::friction, "shoulder"},
                                        {71, CauseKind::gain, "column"}};
  FleetRunOptions options;
  options.threads = hardware_threads();
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
