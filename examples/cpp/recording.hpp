// Stands in for your own robot: what a program records while the robot plays a motion. Friction, noise and encoders
// are simulated.
#pragma once

#include <cmath>

#include "steelyard/simulate/simulate.hpp"
#include "steelyard/simulate/trajectory.hpp"

struct Recording {
  Eigen::VectorXd time;    // [s]
  Eigen::MatrixXd q, tau;  // samples x joints [rad, N m]
};

// The robot's own masses, with friction.
inline steelyard::TrueParameters truth_of(const steelyard::Robot& robot) {
  steelyard::Drive drive;
  drive.friction.viscous = 0.6;
  drive.friction.coulomb = 0.9;
  steelyard::TrueParameters truth = steelyard::true_parameters(robot);
  truth.drives.assign(robot.joints.size(), drive);
  return truth;
}

// Twenty seconds of random sines within the robot's limits; another seed is another motion.
inline steelyard::Trajectory random_motion(const steelyard::Robot& robot, int seed) {
  steelyard::RandomMotion motion;
  motion.harmonics = 5;
  motion.period = 20;
  motion.center = motion.reach = motion.velocity = Eigen::VectorXd::Zero(robot.size());
  motion.acceleration = Eigen::VectorXd::Constant(1, 6.0);
  for (int j = 0; j < robot.size(); ++j) {
    const steelyard::Limits& limits = robot.joints[j].limits;
    const bool bounded = std::isfinite(limits.lower) && std::isfinite(limits.upper);
    motion.center[j] = bounded ? (limits.lower + limits.upper) / 2 : 0;
    motion.reach[j] = bounded ? 0.4 * (limits.upper - limits.lower) : 1.5;
    motion.velocity[j] = std::isfinite(limits.velocity) ? 0.9 * limits.velocity : 2;
  }
  return steelyard::random_multi_sine(motion, seed);
}

inline Recording record(const steelyard::Robot& robot, int seed, double noise = 0.05) {
  steelyard::SimulateOptions options;
  options.rate = 500;
  options.velocity = steelyard::VelocityChannel::none;
  options.effort_noise = Eigen::VectorXd::Constant(1, noise);
  options.quantum = Eigen::VectorXd::Constant(1, 6.28 / (1 << 20));
  options.seed = seed;
  const steelyard::SampleBlock log =
      steelyard::simulate(robot, truth_of(robot), random_motion(robot, seed), options).samples;
  const auto channel = [&](const char* name) {
    return Eigen::Map<const Eigen::MatrixXd>(log.row(log.find(name)), log.size(), log.joints());
  };
  return {Eigen::Map<const Eigen::VectorXd>(log.time(), log.size()), channel("position"), channel("torque")};
}
