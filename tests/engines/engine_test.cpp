// Robots in MuJoCo, DART, Bullet and ODE against our own Newton and Euler.
#include "steelyard/engines/engine.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <cstdlib>

#include "oracle/random_robot.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/dynamics/dynamics.hpp"
#include "steelyard/engines/play.hpp"
#include "steelyard/robot/read.hpp"

namespace steelyard {
namespace {

using ::testing::HasSubstr;

// Modules lie in the build's folder, not beside the test.
const int kNamed = ::setenv("STEELYARD_ENGINES", STEELYARD_ENGINES_FOLDER, 1);

Robot robot_of(std::uint64_t seed, bool branches) {
  oracle::RandomRobotOptions robot_options;
  robot_options.branches = branches;
  return oracle::random_robot(seed, robot_options);
}

// Three sines a joint, up to about 1 rad/s and 2 rad/s².
Trajectory swing(Index joints, double duration) {
  MultiSine sines;
  sines.omega = Eigen::Vector3d(0.7, 1.3, 2.1);
  sines.amplitude.resize(3, joints);
  sines.phase.resize(3, joints);
  for (Index j = 0; j < joints; ++j)
    for (Index k = 0; k < 3; ++k) {
      sines.amplitude(k, j) = 0.3 / static_cast<double>(k + 1);
      sines.phase(k, j) = 0.9 * static_cast<double>(j) + 1.7 * static_cast<double>(k);
    }
  sines.center = VectorXd::Constant(joints, 0.2);
  sines.duration = duration;
  return sines;
}

VectorXd times_of(double duration, Index count) {
  return VectorXd::LinSpaced(count, 0, duration);
}

MatrixXd newton_euler_efforts(const Robot& robot, const Trajectory& motion, const VectorXd& times) {
  const Tree tree = compile(robot);
  const VectorXd parameters = standard_parameters(robot);
  MatrixXd tau(times.size(), motion.joints());
  for (Index s = 0; s < times.size(); ++s) {
    const JointState state = motion.at(times[s]);
    tau.row(s) = newton_euler(tree, parameters, state.q, state.qd, state.qdd).tau;
  }
  return tau;
}

// Root mean square of the difference over that of the efforts, for every joint: the largest.
double worst_joint(const MatrixXd& ours, const MatrixXd& theirs) {
  double worst = 0;
  for (Index j = 0; j < ours.cols(); ++j)
    worst = std::max(worst, (theirs.col(j) - ours.col(j)).norm() / ours.col(j).norm());
  return worst;
}

double played_error(EngineKind kind, const Robot& robot) {
  const double duration = 2;
  const Trajectory motion = swing(robot.size(), duration);
  const VectorXd times = times_of(duration, 201);
  Engine engine(kind, robot, standard_parameters(robot));
  return worst_joint(newton_euler_efforts(robot, motion, times), played_efforts(engine, motion, times));
}

class EveryEngine : public testing::TestWithParam<EngineKind> {};

// Inverse dynamics to 1e-6 of a joint's RMS effort; driven ODE, whose steps of 0.2 ms are first order, to 1
// %.
TEST_P(EveryEngine, TakesTheEffortsOfNewtonAndEulerForAPlayedMotion) {
  const double limit = GetParam() == EngineKind::ode ? 1e-2 : 1e-6;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    EXPECT_LT(played_error(GetParam(), robot_of(seed, seed % 2 == 0)), limit) << "seed " << seed;
  }
}

TEST_P(EveryEngine, PutsTheToolWhereKinematicsSay) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    Robot robot = robot_of(seed, seed % 2 == 0);
    robot.base = {{Motion::turn_x, 0.4, "tilt"}, {Motion::move_z, 0.3, "height"}};
    robot.tool = {{Motion::move_z, 0.1, "tool"}, {Motion::turn_x, 0.5, "tool"}};
    Engine engine(GetParam(), robot, standard_parameters(robot));
    const JointState state = swing(robot.size(), 1).at(0.4);
    engine.set_state(state.q, state.qd);
    const Pose wanted = tool_pose(compile(robot), state.q), pose = engine.tool_pose();
    EXPECT_LT((pose.rotation - wanted.rotation).norm(), 1e-9) << seed;
    EXPECT_LT((pose.position - wanted.position).norm(), 1e-9) << seed;
    const EngineState back = engine.state();
    EXPECT_LT((back.q - state.q).norm() + (back.qd - state.qd).norm(), 1e-9) << seed;
  }
}

// The right efforts move the robot along the motion; feedback only holds back what a step of 1 ms gets wrong.
TEST_P(EveryEngine, FollowsAMotionByItsEfforts) {
  const Robot robot = robot_of(3, false);
  const double duration = 1;
  const Trajectory motion = swing(robot.size(), duration);
  const VectorXd times = times_of(duration, 201);
  SampledMotion samples;
  samples.time = times;
  samples.q = newton_euler_efforts(robot, motion, times);
  const VectorXd diagonal =
      mass_matrix(compile(robot), standard_parameters(robot), motion.at(0).q).diagonal();
  FollowOptions options;
  options.stiffness = 40 * diagonal, options.damping = 12 * diagonal;
  const auto distance = [&](double share) {
    Engine engine(GetParam(), robot, share * standard_parameters(robot));
    const Followed followed = follow(engine, motion, Trajectory(samples), times, options);
    double worst = 0;
    for (Index s = 0; s < times.size(); ++s)
      worst = std::max(worst, (followed.q.row(s).transpose() - motion.at(times[s]).q).norm());
    return worst;
  };
  const double right = distance(1), heavy = distance(1.2);
  EXPECT_LT(right, 0.01);
  EXPECT_GT(heavy, 10 * right);
}

// Motors without limits: positions are reached; velocities that are held for a step h leave h/2 times the change of
// velocity since the start.
TEST_P(EveryEngine, MovesByCommandsToItsJoints) {
  const Robot robot = robot_of(3, false);
  const Trajectory motion = swing(robot.size(), 1);
  const VectorXd times = times_of(1, 51);
  constexpr double kStep = 5e-3;
  const auto off = [&](Command what) {
    Engine engine(GetParam(), robot, standard_parameters(robot));
    const Followed moved = command(engine, motion, times, what, kStep);
    MatrixXd error = moved.q;
    for (Index s = 0; s < times.size(); ++s) error.row(s) -= motion.at(times[s]).q.transpose();
    return error;
  };
  // ODE turns bodies, not joints: constraints bring them back in the step after.
  const bool turns_bodies = GetParam() == EngineKind::ode;
  EXPECT_LT(off(Command::position).cwiseAbs().maxCoeff(), turns_bodies ? 1e-3 : 1e-9);
  MatrixXd wanted(times.size(), robot.size());
  for (Index s = 0; s < times.size(); ++s)
    wanted.row(s) = -0.5 * kStep * (motion.at(times[s]).qd - motion.at(0).qd).transpose();
  // The next term is h²/12 of the change of acceleration: 5e-6 rad.
  EXPECT_LT((off(Command::velocity) - wanted).cwiseAbs().maxCoeff(), 1e-5);
  EXPECT_GT(wanted.cwiseAbs().maxCoeff(), 1e-4);
}

TEST_P(EveryEngine, RefusesLinksThatAreNoBodies) {
  const Robot robot = robot_of(1, false);
  VectorXd parameters = standard_parameters(robot);
  parameters.head<10>().setZero();
  EXPECT_THROW(Engine(GetParam(), robot, parameters), InputError);
  parameters = standard_parameters(robot);
  parameters[4] = -1;
  EXPECT_THROW(Engine(GetParam(), robot, parameters), InputError);
}

std::string engine_name(const testing::TestParamInfo<EngineKind>& info) {
  return to_string(info.param);
}
INSTANTIATE_TEST_SUITE_P(Engines, EveryEngine, testing::ValuesIn(kEngines), engine_name);

TEST(Engine, ThatIsNotThereIsAnErrorOfTheMachineThatNamesThePackage) {
  ::setenv("STEELYARD_ENGINES", "/nowhere", 1);
  const Robot robot = robot_of(1, false);
  const char* packages[] = {"libmujoco-dev", "libdart-dev", "libbullet-dev", "libode-dev"};
  for (std::size_t k = 0; k < std::size(kEngines); ++k) {
    EXPECT_FALSE(has_engine(kEngines[k]));
    try {
      Engine(kEngines[k], robot, standard_parameters(robot));
      FAIL();
    } catch (const MachineError& error) {
      EXPECT_THAT(error.what(), HasSubstr(packages[k]));
    }
  }
  ::setenv("STEELYARD_ENGINES", STEELYARD_ENGINES_FOLDER, 1);
  EXPECT_TRUE(has_engine(EngineKind::mujoco));
  EXPECT_THROW(engine_kind("physx"), InputError);
}

}  // namespace
}  // namespace steelyard
