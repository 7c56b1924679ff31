// A controller that logs |torque| only: the signs, with a proof, compared with the true ones: 06_unsigned_torque ROBOT
#include <cmath>
#include <cstdio>
#include <exception>

#include "steelyard/identify/run.hpp"
#include "steelyard/robot/read.hpp"

int main(int argc, char** argv) try {
  if (argc != 2) return std::fprintf(stderr, "usage: %s ROBOT.yaml|ROBOT.urdf\n", argv[0]), 2;
  const steelyard::Robot robot = steelyard::read_robot(argv[1]).robot;
  steelyard::RandomMotion motion;
  motion.period = 13.33;
  motion.center = Eigen::VectorXd::Zero(robot.size());
  motion.reach = Eigen::VectorXd::Ones(1);
  steelyard::SimulateOptions options;
  options.rate = 50;
  options.relative_effort_noise = Eigen::VectorXd::Constant(1, 0.05);
  steelyard::Run log = steelyard::simulate(robot, steelyard::true_parameters(robot),
                                           steelyard::random_multi_sine(motion, 7), options);
  const steelyard::Run truth = log;
  const int torque = log.samples.find("torque");
  for (int j = 0; j < robot.size(); ++j)
    for (Eigen::Index s = 0; s < log.samples.size(); ++s)
      log.samples.row(torque, j)[s] = std::abs(log.samples.row(torque, j)[s]);

  steelyard::Study study;
  study.robot = robot;
  study.prepare.decimation = 1;
  study.prepare.difference_order = 6;
  study.runs.push_back(steelyard::run_from_samples("drives", std::move(log)));
  study.runs.back().unsigned_effort = true;
  const steelyard::SignsSummary signs = steelyard::recover_study_signs(study).signs;

  int decided = 0, wrong = 0;
  for (const steelyard::SegmentSummary& segment : signs.segments) {
    if (!segment.decided) continue;
    double sum = 0;
    for (auto s = segment.from; s < segment.to; ++s)
      sum += truth.samples.row(torque, robot.index_of(segment.joint))[s];
    ++decided;
    wrong += sum * segment.sign < 0;
  }
  std::printf("%zu segments of one sign each, %d decided (%s), %d of them wrong\n", signs.segments.size(),
              decided, signs.certified.c_str(), wrong);
  return decided > 0 && wrong == 0 ? 0 : 1;
} catch (const std::exception& error) {
  return std::fprintf(stderr, "%s\n", error.what()), 2;
}
