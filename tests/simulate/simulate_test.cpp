#include "steelyard/simulate/simulate.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "cases.hpp"
#include "oracle/random_robot.hpp"
#include "oracle/referee.hpp"
#include "steelyard/log/transmission.hpp"

namespace steelyard {
namespace simulate_test {

using cases::at;

constexpr double kEps = 2.3e-16;

SimulateOptions plain(double rate = 20) {
  SimulateOptions options;
  options.rate = rate;
  options.acceleration = true;
  options.check_limits = false;
  return options;
}

Friction random_friction(oracle::Random& random) {
  Friction f;
  f.viscous = random.uniform(0, 2);
  f.coulomb = random.uniform(0, 2);
  f.offset = random.uniform(-1, 1);
  f.coulomb_positive = random.uniform(0, 1);
  f.coulomb_negative = random.uniform(0, 1);
  f.sigmoid_height = random.uniform(0, 2);
  f.sigmoid_slope = random.uniform(1, 20);
  f.sigmoid_shift = random.uniform(-0.1, 0.1);
  f.stribeck = random.uniform(0, 1);
  f.stribeck_velocity = random.uniform(0.01, 0.1);
  return f;
}

TrueParameters random_drives(const Robot& robot, oracle::Random& random) {
  TrueParameters truth = true_parameters(robot);
  for (Drive& drive : truth.drives) {
    drive.rotor_inertia = random.uniform(0, 1);
    drive.friction = random_friction(random);
    drive.gain = random.uniform(-30, -5);
  }
  return truth;
}

// Efforts by virtual work in long double, plus drives.
VectorXd expected(const Robot& robot, const TrueParameters& truth, const steelyard::Run& run, Index s,
                  double& scale) {
  const VectorXd q = at(run, "position", s), qd = at(run, "velocity", s), qdd = at(run, "acceleration", s);
  const oracle::RefereeResult rigid = oracle::referee(robot, q, qd, qdd);
  VectorXd tau = rigid.tau;
  for (Index j = 0; j < tau.size(); ++j) {
    const Drive& drive = truth.drives[static_cast<std::size_t>(j)];
    tau[j] += drive.rotor_inertia * qdd[j] + friction_effort(drive.friction, qd[j]);
  }
  scale = rigid.scale.maxCoeff() + 10;
  return tau;
}

TEST(Simulate, TorqueIsVirtualWorkPlusFriction) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    oracle::RandomRobotOptions shape;
    shape.branches = seed % 2 == 0;
    const Robot robot = oracle::random_robot(seed, shape);
    SCOPED_TRACE(oracle::to_string(robot));
    oracle::Random random(seed);
    const TrueParameters truth = random_drives(robot, random);
    const steelyard::Run run = simulate(robot, truth, cases::motion(7, seed), plain());
    ASSERT_EQ(run.samples.size(), 201);
    for (Index s = 0; s < run.samples.size(); s += 7) {
      double scale = 0;
      const VectorXd wanted = expected(robot, truth, run, s, scale);
      // Some hundred operations a row, as for the regressor itself.
      EXPECT_LT((at(run, "torque", s) - wanted).cwiseAbs().maxCoeff(), 200 * kEps * scale) << s;
    }
  }
}

TEST(Simulate, PandaWithItsPublishedMotionAndFriction) {
  const Robot robot = cases::robot("panda");
  const nlohmann::json table = cases::panda_tables();
  TrueParameters truth = true_parameters(robot);
  for (std::size_t j = 0; j < 7; ++j) {
    truth.drives[j].friction.sigmoid_height = table["sigmoid"]["phi1"][j];
    truth.drives[j].friction.sigmoid_slope = table["sigmoid"]["phi2"][j];
    truth.drives[j].friction.sigmoid_shift = table["sigmoid"]["phi3"][j];
  }
  SimulateOptions options;  // the published motion keeps the robot's limits
  options.acceleration = true;
  const Trajectory motion(cases::panda_series());
  const steelyard::Run run = simulate(robot, truth, motion, options);
  ASSERT_EQ(run.samples.size(), 21001);
  EXPECT_EQ(run.samples.channels(),
            (std::vector<std::string>{"position", "velocity", "acceleration", "torque"}));
  EXPECT_EQ(run.samples.time()[20000], 20.0);
  EXPECT_EQ(at(run, "position", 12345), motion.at(12.345).q);
  for (Index s = 0; s < run.samples.size(); s += 997) {
    double scale = 0;
    const VectorXd wanted = expected(robot, truth, run, s, scale);
    EXPECT_LT((at(run, "torque", s) - wanted).cwiseAbs().maxCoeff(), 200 * kEps * scale) << s;
  }
}

// The load as four points of mass, seen from the tool and, moved by hand, from the link.
TEST(Simulate, PayloadIsTheSameAsABodyOnTheToolLink) {
  const auto point = [](double mass, const Vector3& x) {
    Vector10 p;
    const Matrix3 J = mass * (x.squaredNorm() * Matrix3::Identity() - x * x.transpose());
    p << mass, mass * x, J(0, 0), J(0, 1), J(0, 2), J(1, 1), J(1, 2), J(2, 2);
    return p;
  };
  for (std::uint64_t seed = 11; seed <= 13; ++seed) {
    Robot robot = oracle::random_robot(seed);
    if (seed == 13) robot.tool_link = -1;
    oracle::Random random(seed);
    const TrueParameters truth = random_drives(robot, random);
    const Pose tool = to_pose(robot.tool);
    Vector10 at_tool = Vector10::Zero(), at_link = Vector10::Zero();
    for (int i = 0; i < 4; ++i) {
      const double mass = random.uniform(0.1, 2);
      const Vector3 x = random.vector(0.3);
      at_tool += point(mass, x);
      at_link += point(mass, tool.rotation * x + tool.position);
    }
    SimulateOptions options = plain();
    options.payload = Inertia::from_standard(at_tool);
    const steelyard::Run loaded = simulate(robot, truth, cases::motion(7, seed), options);

    TrueParameters heavier = truth;
    heavier.standard.segment<10>(10 * (robot.tool_link < 0 ? 6 : robot.tool_link)) += at_link;
    const steelyard::Run other = simulate(robot, heavier, cases::motion(7, seed), plain());
    for (Index j = 0; j < 7; ++j) {
      const VectorXd tau = cases::row(loaded, "torque", j);
      EXPECT_LT((tau - cases::row(other, "torque", j)).cwiseAbs().maxCoeff(), 1e-12) << seed;
    }
    const steelyard::Run bare = simulate(robot, truth, cases::motion(7, seed), plain());
    EXPECT_GT((at(loaded, "torque", 5) - at(bare, "torque", 5)).norm(), 1e-3);
  }
}

struct Wrist {
  Robot robot = cases::robot("tx40");
  TrueParameters truth;
  Wrist() {
    oracle::Random random(21);
    for (Joint& joint : robot.joints) joint.inertia = oracle::random_inertia(random);
    truth = random_drives(robot, random);
    truth.pairs = {{0.01, 0.2, 0.3}};
  }
};

TEST(Simulate, CurrentsOfACoupledWristMakeItsTorques) {
  const Wrist wrist;
  SimulateOptions options = plain();
  const steelyard::Run torques = simulate(wrist.robot, wrist.truth, cases::motion(6, 3), options);
  options.effort = EffortChannel::current;
  const steelyard::Run currents = simulate(wrist.robot, wrist.truth, cases::motion(6, 3), options);
  EXPECT_EQ(currents.samples.channels().back(), "current");
  for (Index s = 0; s < torques.samples.size(); ++s) {
    const VectorXd tau = at(torques, "torque", s), v = at(currents, "current", s);
    for (Index j = 0; j < 6; ++j) {
      double wanted = wrist.truth.drives[static_cast<std::size_t>(j)].gain * v[j];
      if (j == 4) wanted += wrist.truth.drives[5].gain * v[5];
      EXPECT_NEAR(tau[j], wanted, 20 * kEps * tau.cwiseAbs().maxCoeff()) << j;
    }
  }
}

TEST(Simulate, CurrentsWithoutTransmissionAreTorquesOverGains) {
  const Robot robot = oracle::random_robot(31);
  oracle::Random random(31);
  const TrueParameters truth = random_drives(robot, random);
  SimulateOptions options = plain();
  const steelyard::Run torques = simulate(robot, truth, cases::motion(7, 3), options);
  options.effort = EffortChannel::current;
  const steelyard::Run currents = simulate(robot, truth, cases::motion(7, 3), options);
  for (Index j = 0; j < 7; ++j) {
    const VectorXd wanted = cases::row(torques, "torque", j) / truth.drives[static_cast<std::size_t>(j)].gain;
    EXPECT_LT((cases::row(currents, "current", j) - wanted).norm(), 4 * kEps * wanted.norm());
  }
}

TEST(Simulate, MotorSideTurnedToTheJointSideIsTheJointSide) {
  const Wrist wrist;
  SimulateOptions options = plain();
  const steelyard::Run joint = simulate(wrist.robot, wrist.truth, cases::motion(6, 3), options);
  options.motor_side = true;
  steelyard::Run motor = simulate(wrist.robot, wrist.truth, cases::motion(6, 3), options);
  EXPECT_EQ(motor.samples.channels(), (std::vector<std::string>{"motor_position", "motor_velocity",
                                                                "motor_acceleration", "motor_torque"}));
  // Motor 6 is dragged along by joint 5; motor 4 turns against its joint.
  const VectorXd q = at(joint, "position", 7), m = at(motor, "motor_position", 7);
  EXPECT_NEAR(m[5], 32 * q[4] + 32 * q[5], 1e-13);
  EXPECT_NEAR(m[3], -48 * q[3], 1e-13);
  EXPECT_NEAR(m[1], 32 * (q[1] + std::numbers::pi / 2), 1e-13);
  to_joint_side(wrist.robot.transmission, motor.samples);
  for (const char* channel : {"position", "velocity", "acceleration", "torque"}) {
    for (Index j = 0; j < 6; ++j) {
      const VectorXd wanted = cases::row(joint, channel, j);
      EXPECT_LT((cases::row(motor, channel, j) - wanted).cwiseAbs().maxCoeff(),
                1e-14 * (10 + wanted.cwiseAbs().maxCoeff()));
    }
  }
}

// A joint that follows another acts on it with its ratio.
TEST(Simulate, MimicJointsLoadTheirMasters) {
  Robot robot = oracle::random_robot(41, {.joints = 3});
  oracle::Random random(41);
  const TrueParameters truth = random_drives(robot, random);
  const Robot all = robot;
  robot.mimics = {{1, 0, -2, 0.3}};
  const steelyard::Run run = simulate(robot, truth, cases::motion(2, 41), plain());
  ASSERT_EQ(run.samples.joints(), 2);
  for (Index s = 0; s < run.samples.size(); s += 9) {
    const auto expand = [&](const char* channel, double offset) {
      const VectorXd x = at(run, channel, s);
      return VectorXd((VectorXd(3) << x[0], -2 * x[0] + offset, x[1]).finished());
    };
    const VectorXd q = expand("position", 0.3), qd = expand("velocity", 0), qdd = expand("acceleration", 0);
    const oracle::RefereeResult rigid = oracle::referee(all, q, qd, qdd);
    VectorXd tau = rigid.tau;
    for (Index j = 0; j < 3; ++j) {
      const Drive& drive = truth.drives[static_cast<std::size_t>(j)];
      tau[j] += drive.rotor_inertia * qdd[j] + friction_effort(drive.friction, qd[j]);
    }
    const double scale = rigid.scale.maxCoeff() + 10;
    EXPECT_NEAR(at(run, "torque", s)[0], tau[0] - 2 * tau[1], 600 * kEps * scale);
    EXPECT_NEAR(at(run, "torque", s)[1], tau[2], 200 * kEps * scale);
  }
}

TEST(Simulate, FollowsARunInMemory) {
  const Robot robot = oracle::random_robot(51);
  const TrueParameters truth = true_parameters(robot);
  SimulateOptions options = plain(100);
  const steelyard::Run first = simulate(robot, truth, cases::motion(7, 51), options);
  const steelyard::Run second = simulate(robot, truth, Trajectory(sampled_motion(first)), options);
  ASSERT_EQ(second.samples.size(), first.samples.size());
  for (Index j = 0; j < 7; ++j) {
    const VectorXd wanted = cases::row(first, "torque", j);
    // At the stamps the polynomials have the samples' own values, but for roundings of the time differences.
    EXPECT_LT((cases::row(second, "torque", j) - wanted).cwiseAbs().maxCoeff(),
              1e-9 * (1 + wanted.cwiseAbs().maxCoeff()));
  }
}

TEST(Simulate, CountsSamplesFromZeroToTheEnd) {
  const Robot robot = oracle::random_robot(61, {.joints = 2});
  const TrueParameters truth = true_parameters(robot);
  const auto count = [&](double duration, double rate, Index samples) {
    SimulateOptions options = plain(rate);
    options.samples = samples;
    return Simulator(robot, truth, cases::motion(2, 1, duration), options).size();
  };
  EXPECT_EQ(count(1, 1000, 0), 1001);
  EXPECT_EQ(count(13.33, 50, 0), 667);
  EXPECT_EQ(count(0.3, 10, 0), 4);  // 0.3·10 rounds below 3 on the way
  EXPECT_EQ(count(0.7, 1000, 0), 701);
  EXPECT_EQ(count(10, 1000, 12345), 12345);
}

}  // namespace simulate_test
}  // namespace steelyard
