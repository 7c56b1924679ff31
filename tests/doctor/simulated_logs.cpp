#include "simulated_logs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "oracle/random_robot.hpp"
#include "steelyard/robot/read.hpp"
#include "steelyard/simulate/simulate.hpp"
#include "steelyard/simulate/trajectory.hpp"

namespace steelyard::testing {
namespace {

SimulatedLog simulated(const std::string& text, const RandomMotion& motion, const VectorXd& viscous,
                       const VectorXd& coulomb, double rate, double noise, std::uint64_t seed,
                       double delay = 0) {
  SimulatedLog log;
  log.robot = read_robot_yaml(text, "robot.yaml").robot;
  TrueParameters truth = true_parameters(log.robot);
  truth.drives.resize(log.robot.joints.size());
  for (std::size_t j = 0; j < truth.drives.size(); ++j) {
    truth.drives[j].friction.viscous = viscous[static_cast<Index>(j)];
    truth.drives[j].friction.coulomb = coulomb[static_cast<Index>(j)];
    truth.drives[j].friction.offset = 0.1;
  }
  SimulateOptions options;
  options.label.label = "run";
  options.rate = rate;
  options.velocity = VelocityChannel::none;
  options.relative_effort_noise = VectorXd::Constant(1, noise);
  if (noise > 0) options.quantum = VectorXd::Constant(1, 1.2e-5);
  options.seed = seed;
  options.delay = delay;
  log.run = simulate(log.robot, truth, Trajectory(random_multi_sine(motion, seed)), options);
  return log;
}

RandomMotion motion_of(Index joints) {
  RandomMotion motion;
  motion.harmonics = 5;
  motion.period = 10;
  motion.duration = 30;
  motion.center = VectorXd::Constant(joints, 0.3);
  motion.reach = VectorXd::Constant(1, 1);
  motion.velocity = VectorXd::Constant(1, 2.5);
  motion.acceleration = VectorXd::Constant(1, 12);
  return motion;
}

}  // namespace

namespace {

SimulatedLog log_of_random_robot(int joints, const RandomMotion& motion, double rate, double noise,
                                 std::uint64_t seed, double delay) {
  oracle::Random random(seed);
  const char* axes[] = {"[0, 0, 1]", "[0, 1, 0]", "[1, 0, 0]"};
  const char* turns[] = {"0", "pi/2", "0.3"};
  std::string text = "name: random\nconvention: frames\njoints:\n";
  for (int j = 0; j < joints; ++j) {
    const double mass = random.uniform(1, 10) * std::pow(0.8, j);
    const char* kind = random.uniform(0, 1) < 0.25 ? "prismatic" : "revolute";
    const Vector3 place = random.vector(0.35), com = random.vector(0.15);
    const Vector3 inertia = mass * (Vector3::Constant(0.02) + random.vector(0.0065));
    text += fmt::format(
        "  - {{name: j{}, kind: {}, xyz: [{}, {}, {}], rpy: [{}, 0, {}], axis: {}, link: {{mass: {}, com: "
        "[{}, {}, {}], inertia: {{xx: {}, yy: {}, zz: {}}}}}}}\n",
        j + 1, kind, place[0], place[1], place[2], turns[random.index(3)], 0.2 * random.index(2),
        axes[random.index(3)], mass, com[0], com[1], com[2], inertia[0], inertia[1], inertia[2]);
  }
  VectorXd viscous(joints), coulomb(joints);
  for (Index j = 0; j < joints; ++j) {
    viscous[j] = random.uniform(0.3, 2);
    coulomb[j] = random.uniform(0.3, 3);
  }
  return simulated(text, motion, viscous, coulomb, rate, noise, seed, delay);
}

}  // namespace

SimulatedLog random_log(int joints, double noise, std::uint64_t seed) {
  return log_of_random_robot(joints, motion_of(joints), 200, noise, seed, 0);
}

SimulatedLog local_log(int joints, double noise, std::uint64_t seed, double center, double reach) {
  RandomMotion motion = motion_of(joints);
  motion.center = VectorXd::Constant(joints, center);
  motion.reach = VectorXd::Constant(1, reach);
  return log_of_random_robot(joints, motion, 200, noise, seed, 0);
}

// The simulator delays only: all efforts are taken a tenth of a second early afterwards.
SimulatedLog late_log(int joints, double rate, double noise, double seconds, std::uint64_t seed) {
  RandomMotion motion = motion_of(joints);
  motion.period = 5;
  motion.duration = 60;
  const Index lead = std::lround(0.1 * rate);
  SimulatedLog log =
      log_of_random_robot(joints, motion, rate, noise, seed, seconds + static_cast<double>(lead) / rate);
  SampleBlock& samples = log.run.samples;
  for (Index j = 0; j < samples.joints(); ++j) {
    double* effort = samples.row(samples.find(channel::kTorque), j);
    std::copy(effort + lead, effort + samples.size(), effort);
  }
  samples.resize(samples.size() - lead);
  return log;
}

SimulatedLog turntable_log(double noise, std::uint64_t seed) {
  const char* text = R"(name: turntable
convention: frames
joints:
  - {name: table, axis: [0, 0, 1], link: {mass: 5, com: [0.3, 0, 0], inertia: {xx: 0.02, yy: 0.1, zz: 0.1}}}
)";
  return simulated(text, motion_of(1), VectorXd::Constant(1, 1), VectorXd::Constant(1, 1.5), 200, noise,
                   seed);
}

SimulatedLog scara_log(double noise, std::uint64_t seed) {
  const char* text = R"(name: scara
convention: modified_dh
joints:
  - {name: shoulder, a: 0, alpha: 0, d: 0.4, link: {mass: 8, com: [0.18, 0, 0], inertia: {xx: 0.05, yy: 0.1, zz: 0.1}}}
  - {name: elbow, a: 0.35, alpha: 0, d: 0, link: {mass: 5, com: [0.12, 0, 0], inertia: {xx: 0.02, yy: 0.05, zz: 0.05}}}
  - {name: quill, kind: prismatic, a: 0.25, alpha: pi, d: 0, link: {mass: 1.5, com: [0, 0, 0.02], inertia: {xx: 0.005, yy: 0.005, zz: 0.001}}}
  - {name: flange, a: 0, alpha: 0, d: 0, link: {mass: 0.8, com: [0.03, 0, 0.02], inertia: {xx: 1e-3, yy: 1e-3, zz: 5e-4}}}
)";
  RandomMotion motion = motion_of(4);
  motion.center = Eigen::Vector4d(0, 0, 0.1, 0);
  motion.reach = Eigen::Vector4d(1.2, 1.2, 0.1, 2);
  motion.velocity = Eigen::Vector4d(3, 3, 0.5, 6);
  motion.acceleration = Eigen::Vector4d(12, 12, 4, 30);
  return simulated(text, motion, Eigen::Vector4d(2, 1, 5, 0.05), Eigen::Vector4d(3, 2, 6, 0.1), 250, noise,
                   seed);
}

}  // namespace steelyard::testing
