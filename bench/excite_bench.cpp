// Exciting motions: `bench/excite_bench [starts]`.
//
// The Panda with its maker's limits, five harmonics, 21 s, 43 inertial and 21 friction columns, on one core:
// the search, and a random search given the same processor time, for log det alone and with a condition
// number that is wanted. Then a motion for every robot in robots/ and every URDF under $STEELYARD_DATA.
// docs/excite.md quotes the table.
#include <fmt/format.h>

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
  fmt::print("| {} | {:.1f} | {} | {:.2f} | {:.1f} | {:.1f} | {:.4f} {} |\n", name, seconds,
             found.evaluations, found.report.log_det, found.report.condition, found.report.condition_scaled,
             tightest != nullptr ? tightest->share : 0.0, tightest != nullptr ? tightest->what : "");
}

// The search, and as many random trials as its processor time is worth.
void compare(const std::string& name, const Robot& robot, const BaseParameters& base,
             const ExciteOptions& options) {
  double begin = thread_nanoseconds();
  const ExcitedMotion found = excite_motion(robot, base, options);
  const double used = thread_nanoseconds() - begin;
  print(name + ", search", 1e-9 * used, found);
  constexpr Index kProbe = 300;
  begin = thread_nanoseconds();
  search_at_random(robot, base, options, kProbe);
  const double each = (thread_nanoseconds() - begin) / kProbe;
  begin = thread_nanoseconds();
  const ExcitedMotion random = search_at_random(robot, base, options, static_cast<Index>(used / each));
  print(name + ", random search", 1e-9 * (thread_nanoseconds() - begin), random);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string folder = STEELYARD_SOURCE_DIR "/robots/";
  BaseOptions base_options;
  base_options.expressions = false;
  fmt::print(
      "| motion | CPU s | evaluations | log det | condition | scaled | tightest limit |\n"
      "|---|---|---|---|---|---|---|\n");
  const Robot panda = robot_with_friction(folder + "panda.yaml");
  const BaseParameters base = base_parameters(panda, base_options);
  ExciteOptions options;
  options.duration = 21;
  options.prior = prior_from_masses(panda, base);
  options.starts = argc > 1 ? std::atoi(argv[1]) : 8;
  compare("panda", panda, base, options);
  options.most_condition = 34;
  compare("panda, condition 34 wanted", panda, base, options);
  std::vector<std::string> files;
  for (const char* name : {"kr5", "lwr4", "panda", "two_r", "tx40", "ur10"})
    files.push_back(folder + name + ".yaml");
  if (const char* data = std::getenv("STEELYARD_DATA"))
    for (const char* name : {"kinova_gen3/gen3.urdf", "kuka_lwr4_flobaroid/kuka_lwr4.urdf",
                             "staubli_tx40/tx40_mdh_modified.urdf", "tiago_figaroh/tiago_48_schunk.urdf"})
      files.push_back(std::string(data) + "/" + name);
  for (const std::string& file : files) {
    const std::string name = std::filesystem::path(file).filename().string();
    try {
      const Robot robot = robot_with_friction(file);
      const BaseParameters own = base_parameters(robot, base_options);
      ExciteOptions each;
      each.prior = prior_from_masses(robot, own);
      each.starts = 1;
      each.iterations = 100;
      const double begin = thread_nanoseconds();
      const ExcitedMotion found = excite_motion(robot, own, each);
      print(name, 1e-9 * (thread_nanoseconds() - begin), found);
    } catch (const InputError& error) {
      fmt::print("| {} | | | | | | {} |\n", name, error.what());
    }
  }
  return 0;
}
