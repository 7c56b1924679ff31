// Logs of a robot that is known, in engines.
#include "steelyard/validate/engine_check.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "oracle/random_robot.hpp"
#include "steelyard/simulate/simulate.hpp"

namespace steelyard {
namespace {

// Modules lie in the build's folder, not beside the test.
const int kNamed = ::setenv("STEELYARD_ENGINES", STEELYARD_ENGINES_FOLDER, 1);

struct Known {
  Robot robot;
  TrueParameters parameters;
  EngineLog log;
};

// Four joints with friction and rotors, 2 s of a multi-sine at 500 Hz, efforts without noise.
Known known_log() {
  oracle::RandomRobotOptions robot_options;
  robot_options.joints = 4;
  Known known{oracle::random_robot(11, robot_options), {}, {}};
  known.parameters = true_parameters(known.robot);
  for (Drive& drive : known.parameters.drives) {
    drive.rotor_inertia = 0.3;
    drive.friction.viscous = 0.8;
    drive.friction.coulomb = 0.5;
    drive.friction.offset = -0.2;
  }
  MultiSine sines;
  sines.omega = Eigen::Vector2d(1.1, 2.3);
  sines.amplitude = MatrixXd::Constant(2, 4, 0.25);
  sines.phase.resize(2, 4);
  sines.phase << 0.1, 1.2, 2.3, 3.4, 4.5, 0.6, 1.7, 2.8;
  sines.center = VectorXd::Constant(4, 0.3);
  sines.duration = 2;
  const Trajectory motion(sines);
  SimulateOptions options;
  options.rate = 500;
  const Run run = simulate(known.robot, known.parameters, motion, options);
  const SampleBlock& samples = run.samples;
  known.log.run = "sines";
  known.log.step = 1 / options.rate;
  known.log.position.resize(samples.size(), 4);
  known.log.effort.resize(samples.size(), 4);
  for (Index j = 0; j < 4; ++j) {
    std::copy_n(samples.row(samples.find(channel::kPosition), j), samples.size(),
                known.log.position.col(j).data());
    std::copy_n(samples.row(samples.find(channel::kTorque), j), samples.size(),
                known.log.effort.col(j).data());
  }
  known.log.trim = 20;
  return known;
}

class KnownRobot : public testing::TestWithParam<EngineKind> {};

// Friction and rotors are taken off the log exactly; what is left is the engine's own error: 1e-6 of the
// effort for inverse dynamics, 1 % for driven joints.
TEST_P(KnownRobot, LeavesNothingOfItsLog) {
  const Known known = known_log();
  const EngineCheck check = check_engine(GetParam(), known.robot, known.parameters, known.log);
  EXPECT_EQ(check.engine, to_string(GetParam()));
  const double limit = GetParam() == EngineKind::ode ? 1e-2 : 1e-6;
  ASSERT_EQ(check.joints.size(), 4u);
  for (const EngineJoint& joint : check.joints) {
    EXPECT_LT(joint.ours, limit) << joint.joint;
    EXPECT_LT(joint.rms, 2 * limit * joint.effort + 1e-5) << joint.joint;  // the spline's q̈: h² q⁗ / 12
    EXPECT_LE(std::abs(joint.mean), joint.rms) << joint.joint;
  }
  ASSERT_TRUE(check.followed && check.followed_heavier);
  EXPECT_LT(check.followed->position_mean, 1e-3);
  EXPECT_GT(check.followed_heavier->position_mean, 10 * check.followed->position_mean);
  EXPECT_EQ(check.stiffness.size(), 4u);
  // Velocities held for 5 ms while they change by up to 1 m/s or rad/s: 2.5 mm or mrad.
  ASSERT_TRUE(check.by_velocity && check.by_position);
  EXPECT_LT(check.by_position->position_max, 2e-3);
  EXPECT_LT(check.by_velocity->position_max, 2e-2);
  EXPECT_GT(check.by_velocity->position_mean, check.by_position->position_mean);
}

TEST_P(KnownRobot, ShowsAWrongMassInTheRightJoint) {
  Known known = known_log();
  known.parameters.standard.tail<10>() *= 1.3;  // the last link alone
  const EngineCheck check = check_engine(GetParam(), known.robot, known.parameters, known.log);
  EXPECT_GT(check.joints.back().rms, 0.1 * check.joints.back().effort);
}

INSTANTIATE_TEST_SUITE_P(Engines, KnownRobot, testing::ValuesIn(kEngines),
                         [](const auto& test) { return std::string(to_string(test.param)); });

}  // namespace
}  // namespace steelyard
