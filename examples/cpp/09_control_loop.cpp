// Computed torque at 1 kHz: the model in a control loop, the robot in a simulation: 09_control_loop ROBOT
#include <chrono>
#include <cstdio>
#include <exception>

#include "recording.hpp"
#include "steelyard/dynamics/dynamics.hpp"
#include "steelyard/robot/read.hpp"

int main(int argc, char** argv) try {
  if (argc != 2) return std::fprintf(stderr, "usage: %s ROBOT.yaml|ROBOT.urdf\n", argv[0]), 2;
  const steelyard::Robot robot = steelyard::read_robot(argv[1]).robot;
  const steelyard::DynamicsPlan model(steelyard::compile(robot), steelyard::standard_parameters(robot));
  const steelyard::Trajectory wanted = random_motion(robot, 1);
  const double step = 1e-3, stiffness = 400, damping = 40;

  // The robot begins 0.1 rad off.
  steelyard::JointState now = wanted.at(0);
  now.q.array() += 0.1;
  double first = 0, last = 0;
  std::chrono::duration<double> spent{};
  const int steps = 2000;
  for (int k = 0; k < steps; ++k) {
    const steelyard::JointState goal = wanted.at(k * step);
    const auto begin = std::chrono::steady_clock::now();
    const steelyard::VectorXd qdd = goal.qdd + stiffness * (goal.q - now.q) + damping * (goal.qd - now.qd);
    const steelyard::VectorXd tau = model.inverse(now.q, now.qd, qdd);
    spent += std::chrono::steady_clock::now() - begin;

    now.qdd = model.forward(now.q, now.qd, tau);
    now.qd += step * now.qdd;
    now.q += step * now.qd;
    last = (wanted.at((k + 1) * step).q - now.q).cwiseAbs().maxCoeff();
    if (k == 0) first = last;
  }
  std::printf("%d joints, %.1f us for the torques of one cycle\n", robot.size(), 1e6 * spent.count() / steps);
  std::printf("error of position: %.4f rad at the start, %.5f rad after two seconds\n", first, last);
  return last < 0.01 * first ? 0 : 1;
} catch (const std::exception& error) {
  return std::fprintf(stderr, "%s\n", error.what()), 2;
}
