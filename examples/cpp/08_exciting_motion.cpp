// A motion that shows every parameter well, within the robot's limits and above a table: 08_exciting_motion ROBOT OUT.csv
#include <algorithm>
#include <cstdio>
#include <exception>
#include <fstream>

#include "steelyard/excite/motion.hpp"
#include "steelyard/robot/read.hpp"

int main(int argc, char** argv) try {
  if (argc != 3) return std::fprintf(stderr, "usage: %s ROBOT.yaml|ROBOT.urdf OUT.csv\n", argv[0]), 2;
  steelyard::Robot robot = steelyard::read_robot(argv[1]).robot;
  for (steelyard::Joint& joint : robot.joints) {
    joint.drive.viscous = joint.drive.coulomb = true;  // friction shall be seen, too
    joint.limits.acceleration = std::min(joint.limits.acceleration, 8.0);
  }
  const steelyard::BaseParameters base = steelyard::base_parameters(robot);

  steelyard::ExciteOptions options;
  options.duration = 12;
  options.rate = 20;  // rows a second that count
  options.harmonics = 3;
  options.starts = 2;
  options.iterations = 60;
  options.prior = steelyard::prior_from_masses(robot, base);
  options.workspace.half_spaces = {steelyard::table_at(0.05)};
  const steelyard::ExcitedMotion found = steelyard::excite_motion(robot, base, options);

  std::printf("%d parameters; condition %.0f at the start, %.0f at the end\n", base.rank,
              found.before.condition_scaled, found.report.condition_scaled);
  double most = 0;
  for (const steelyard::LimitUse& use : found.report.limits) {
    std::printf("  %-28s %5.1f %% of its limit\n", use.what.c_str(), 100 * use.share);
    most = std::max(most, use.share);
  }
  std::ofstream(argv[2]) << steelyard::motion_files(robot, base, found.motion, options, 200).csv;
  return found.report.log_det > found.before.log_det && most <= 1 ? 0 : 1;
} catch (const std::exception& error) {
  return std::fprintf(stderr, "%s\n", error.what()), 2;
}
