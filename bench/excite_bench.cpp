// Exciting motions: `bench/excite_bench [starts]` (40).
//
// The Panda with its manufacturer's limits, five harmonics, 21 s, 43 inertial and 21 friction columns, on one
// core: the search with four starts and with many, and a random search given at least the same processor
// time, each for log det and for the condition number. Then a motion for every robot in robots/ and every
// URDF under $STEELYARD_DATA, or the reason why there is none. docs/excite.md quotes both tables.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "clock.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/excite/motion.hpp"
#include "steelyard/robot/read.hpp"

namespace {

using namespace steelyard;

Robot robot_with_friction(const std::string& path) {
  Robot robot = read_robot(path).robot;
  for (Joint& joint : robot.joints) {
    joint.drive.viscous = joint.drive.coulomb = joint.drive.offset = true;
  }
  return robot;
}

void print(const std::string& name, double seconds, const ExcitedMotion& found) {
  const LimitUse* tightest = found.report.limits.empty() ? nullptr : &found.report.limits.front();
  fmt::print("| {} | {:.1f} | {} | {:.1f} | {:.1f} | {:.1f} | {:.2f} % {} |\n", name, seconds,
             found.evaluations, found.report.log_det, found.report.condition, found.report.condition_scaled,
             tightest != nullptr ? 100 * tightest->share : 0.0, tightest != nullptr ? tightest->what : "");
  std::fflush(stdout);
}

// The search, then random trials for a tenth more than its processor time.
void compare(const std::string& name, const Robot& robot, const BaseParameters& base,
             const ExciteOptions& options) {
  double begin = thread_nanoseconds();
  const ExcitedMotion found = excite_motion(robot, base, options);
  const double used = thread_nanoseconds() - begin;
  print(fmt::format("{}: search, {} starts", name, options.starts), 1e-9 * used, found);
  constexpr Index kProbe = 500;
  begin = thread_nanoseconds();
  search_at_random(robot, base, options, kProbe);
  const double each = (thread_nanoseconds() - begin) / static_cast<double>(kProbe);
  begin = thread_nanoseconds();
  const ExcitedMotion random = search_at_random(robot, base, options, static_cast<Index>(1.1 * used / each));
  print(name + ": random search", 1e-9 * (thread_nanoseconds() - begin), random);
}

void compare_on_panda(int starts) {
  const Robot panda = robot_with_friction(STEELYARD_SOURCE_DIR "/robots/panda.yaml");
  BaseOptions base_options;
  base_options.expressions = false;
  const BaseParameters base = base_parameters(panda, base_options);
  ExciteOptions options;
  options.duration = 21;
  options.prior = prior_from_masses(panda, base);
  for (const double condition : {0.0, 1.0})
    for (const int own : {4, starts}) {
      options.max_condition = condition;
      options.starts = own;
      compare(condition > 0 ? "least condition" : "log det", panda, base, options);
    }
}

// A motion of 20 s from one start.
void find_motion(const std::string& name, const Robot& robot) {
  try {
    BaseOptions base_options;
    base_options.expressions = false;
    const double begin = thread_nanoseconds();
    const BaseParameters own = base_parameters(robot, base_options);
    ExciteOptions each;
    each.prior = prior_from_masses(robot, own);
    each.starts = 1;
    each.iterations = 60;
    const ExcitedMotion found = excite_motion(robot, own, each);
    print(name, 1e-9 * (thread_nanoseconds() - begin), found);
  } catch (const InputError& error) {
    fmt::print("| {} | | | | | | none: {} |\n", name, error.what());
  }
}

}  // namespace

int main(int argc, char** argv) {
  fmt::print(
      "| motion | CPU s | evaluations | log det | condition | scaled | most used limit |\n"
      "|---|---|---|---|---|---|---|\n");
  compare_on_panda(argc > 1 ? std::atoi(argv[1]) : 40);
  for (const char* name : {"kr5", "lwr4", "panda", "two_r", "tx40", "ur10"})
    find_motion(name, robot_with_friction(fmt::format(STEELYARD_SOURCE_DIR "/robots/{}.yaml", name)));
  const char* data = std::getenv("STEELYARD_DATA");
  if (data == nullptr) return 0;
  for (const char* file : {"kinova_gen3/gen3.urdf", "kuka_lwr4_flobaroid/kuka_lwr4.urdf",
                           "staubli_tx40/tx40_mdh_modified.urdf", "tiago_figaroh/tiago_48_schunk.urdf"}) {
    const std::string path = fmt::format("{}/{}", data, file);
    find_motion(std::filesystem::path(path).filename().string(), robot_with_friction(path));
  }
  // The wheels' springs of the TIAGo may push 100 N by its URDF and carry 116 N: with more, there is a
  // motion.
  Robot tiago = robot_with_friction(fmt::format("{}/tiago_figaroh/tiago_48_schunk.urdf", data));
  for (Joint& joint : tiago.joints)
    if (joint.name.rfind("suspension", 0) == 0) joint.limits.effort = 200;
  find_motion("tiago_48_schunk.urdf, suspension 200 N", tiago);
  return 0;
}
