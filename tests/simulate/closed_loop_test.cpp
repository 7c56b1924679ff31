// The closed loop against closed forms, energy, and the inverse dynamics of the regressor.
#include "steelyard/simulate/closed_loop.hpp"

#include <cmath>

#include "cases.hpp"
#include "oracle/random_robot.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/dynamics/dynamics.hpp"
#include "steelyard/regressor/plan.hpp"

namespace steelyard {
namespace closed_loop_test {

using cases::one;

// A mass on a rail; `tilt` [rad] turns the rail out of the horizontal.
Robot slider(double mass, double tilt = 0) {
  Robot robot;
  robot.name = "slider";
  robot.gravity = Vector3(-9.81 * std::sin(tilt), 0, -9.81 * std::cos(tilt));
  Joint joint;
  joint.name = joint.link = "cart";
  joint.kind = JointKind::prismatic;
  joint.axis = Vector3::UnitX();
  joint.inertia = Inertia::from_mass_com_inertia(mass, Vector3::Zero(), 0.01 * Matrix3::Identity());
  robot.joints = {joint};
  return robot;
}

// A motion that stays where it is.
Trajectory rest(const VectorXd& q, double duration) {
  MultiSine sines;
  sines.omega = one(1);
  sines.amplitude = MatrixXd::Zero(1, q.size());
  sines.phase = MatrixXd::Zero(1, q.size());
  sines.center = q;
  sines.duration = duration;
  return sines;
}

JointState state(double q, double qd) {
  return {one(q), one(qd), {}};
}

ClosedLoopOptions free_motion(double rate) {
  ClosedLoopOptions options;
  options.control = Control::feedback;
  options.bandwidth = 0;
  options.rate = rate;
  options.substeps = 1;
  return options;
}

// Between two instants the effort is constant: q and q̇ follow the double integrator exactly.
TEST(ClosedLoop, OneJointFollowsTheRecursionOfASampledController) {
  const double mass = 2.5;
  const Robot robot = slider(mass);
  ClosedLoopOptions options;
  options.control = Control::feedback;
  options.rate = 200;
  options.bandwidth = 5;
  options.damping = 0.7;
  options.start = state(0.3, -0.1);
  const ClosedLoopMotion motion = closed_loop(robot, true_parameters(robot), rest(one(0.1), 2), options);
  const double omega = 2 * std::numbers::pi * 5, T = 1.0 / 200;
  double q = 0.3, v = -0.1;
  for (Index s = 0; s < motion.q.rows(); ++s) {
    const double a = omega * omega * (0.1 - q) - 2 * 0.7 * omega * v;
    // Some 400 steps that each round to 1e-16 of numbers of size 100.
    ASSERT_NEAR(motion.q(s, 0), q, 1e-12);
    ASSERT_NEAR(motion.qd(s, 0), v, 1e-11);
    ASSERT_NEAR(motion.qdd(s, 0), a, 1e-9);
    ASSERT_NEAR(motion.effort(s, 0), mass * a, 1e-9);
    q += T * v + T * T / 2 * a;
    v += T * a;
  }
}

TEST(ClosedLoop, AFastControllerIsTheCriticallyDampedOscillator) {
  const Robot robot = slider(1.3);
  ClosedLoopOptions options;
  options.control = Control::feedback;
  options.bandwidth = 2;
  options.start = state(0.2, 0);
  double before = 0;
  for (const double rate : {4000.0, 8000.0}) {
    options.rate = rate;
    const ClosedLoopMotion motion = closed_loop(robot, true_parameters(robot), rest(one(0), 1), options);
    const double omega = 2 * std::numbers::pi * 2;
    double worst = 0;
    for (Index s = 0; s < motion.q.rows(); ++s) {
      const double t = omega * motion.time[s];
      worst = std::max(worst, std::abs(motion.q(s, 0) - 0.2 * (1 + t) * std::exp(-t)));
    }
    EXPECT_LT(worst, 0.2 * omega / rate);  // holding delays by half a period
    if (before > 0) {
      EXPECT_NEAR(before / worst, 2, 0.1);
    }
    before = worst;
  }
}

// No effort, no friction: the energy stays, with an error that falls by 16 when steps are halved.
TEST(ClosedLoop, EnergyOfAFreeTreeIsKeptToFourthOrder) {
  oracle::RandomRobotOptions kind;
  kind.joints = 5;
  kind.branches = true;
  const Robot robot = oracle::random_robot(11, kind);
  const TrueParameters parameters = true_parameters(robot);
  const Tree tree = compile(robot);
  oracle::Random random(12);
  const oracle::State from = oracle::random_state(random, 5);
  std::vector<double> errors;
  for (const double rate : {500.0, 1000.0}) {
    ClosedLoopOptions options = free_motion(rate);
    options.start = JointState{from.q, from.qd, {}};
    const ClosedLoopMotion motion = closed_loop(robot, parameters, rest(from.q, 0.5), options);
    const auto energy = [&](Index s) {
      const Energies e =
          energies(tree, parameters.standard, motion.q.row(s).transpose(), motion.qd.row(s).transpose());
      return e.kinetic + e.potential;
    };
    errors.push_back(std::abs(energy(motion.q.rows() - 1) - energy(0)) / std::abs(energy(0)));
  }
  EXPECT_LT(errors[0], 1e-5);
  EXPECT_GT(errors[0] / errors[1], 10);
}

TEST(ClosedLoop, ASlidingMassStopsWhereFrictionHasEatenItsEnergy) {
  const Robot robot = slider(2);
  TrueParameters parameters = true_parameters(robot);
  parameters.drives[0].friction.coulomb = 3;
  ClosedLoopOptions options = free_motion(1000);
  options.start = state(0, 1);
  const ClosedLoopMotion motion = closed_loop(robot, parameters, rest(one(0), 1.5), options);
  const double a = 3.0 / 2, stop = 1 / a;
  for (Index s = 0; s < motion.q.rows(); ++s) {
    const double t = std::min(motion.time[s], stop);
    // The step in which it stops may be wrong by its length: v h / 2 with v ≤ a h.
    ASSERT_NEAR(motion.q(s, 0), t - a * t * t / 2, 1e-6) << motion.time[s];
    if (motion.time[s] > stop + 2e-3) {
      ASSERT_EQ(motion.qd(s, 0), 0);
    }
  }
  EXPECT_EQ(motion.q(motion.q.rows() - 1, 0), motion.q(motion.q.rows() - 100, 0));
}

TEST(ClosedLoop, AMassOnASlopeHoldsUpToTheAngleOfFriction) {
  const double mass = 2, tilt = 0.3, weight = mass * 9.81 * std::sin(tilt);
  const Robot robot = slider(mass, tilt);
  TrueParameters parameters = true_parameters(robot);
  ClosedLoopOptions options = free_motion(1000);
  options.start = state(0.5, 0);
  parameters.drives[0].friction.coulomb = 1.01 * weight;
  const ClosedLoopMotion held = closed_loop(robot, parameters, rest(one(0), 1), options);
  EXPECT_LT((held.q.array() - 0.5).abs().maxCoeff(), 1e-14);
  EXPECT_LT(held.qdd.cwiseAbs().maxCoeff(), 1e-14);
  parameters.drives[0].friction.coulomb = 0.8 * weight;
  const ClosedLoopMotion slides = closed_loop(robot, parameters, rest(one(0), 1), options);
  const double a = 0.2 * weight / mass;
  // It is loose from the first step on, whose friction is found to first order.
  EXPECT_NEAR(slides.q(1000, 0), 0.5 - a / 2, 1e-6);
  EXPECT_NEAR(slides.qd(1000, 0), -a, 1e-6);
}

// A worm gear on a slope, pushed uphill: it stops within its band at rest and stays there, or turns once and slides down. At
// any step it changes its direction no more often than that.
TEST(ClosedLoop, AGearThatTakesOfItsLoadSticksAndSlipsByItsBandAtEveryStep) {
  const double mass = 2, tilt = 0.3, weight = mass * 9.81 * std::sin(tilt);
  const Robot robot = slider(mass, tilt);
  for (const double taken : {0.3, 0.6})
    for (const double rate : {50.0, 200.0, 1000.0, 5000.0}) {
      SCOPED_TRACE(testing::Message() << taken << " of the load, " << rate << " Hz");
      TrueParameters parameters = true_parameters(robot);
      Friction& friction = parameters.drives[0].friction;
      friction.coulomb = 0.5 * weight;
      friction.load_driving = friction.load_driven = taken;
      const RestBand band = rest_band(friction, weight);
      const bool holds = band.low <= 0 && band.high >= 0;
      ASSERT_EQ(holds, taken > 0.5);
      ClosedLoopOptions options = free_motion(rate);
      options.start = state(0, 1);
      const ClosedLoopMotion motion = closed_loop(robot, parameters, rest(one(0), 2), options);
      int turns = 0, last = 1;
      for (Index s = 1; s < motion.qd.rows(); ++s) {
        const double v = motion.qd(s, 0);
        const int sign = (v > 0) - (v < 0);
        if (sign != 0 && sign != last) ++turns, last = sign;
      }
      EXPECT_EQ(turns, holds ? 0 : 1);
      const Index end = motion.q.rows() - 1, half = end / 2;
      if (holds) {
        EXPECT_EQ(motion.qd.bottomRows(end - half).cwiseAbs().maxCoeff(), 0);
        EXPECT_EQ(motion.q(end, 0), motion.q(half, 0));
      } else {
        // m q̈ = −w + fc + μ |load| with load = m q̈ + w, downhill.
        const double a = (-weight + friction.coulomb + taken * weight) / (mass * (1 - taken));
        EXPECT_NEAR(motion.qdd(end, 0), a, 1e-6);
      }
    }
}

// Effort and state at every sample fit the inverse dynamics of the regressor, which the plant does not use.
TEST(ClosedLoop, EffortsAreTheInverseDynamicsOfTheMotion) {
  for (const char* name : {"tx40", "two_r"}) {
    Robot robot = cases::robot(name);
    oracle::Random random(5);
    for (Joint& joint : robot.joints) {
      if (!joint.inertia) joint.inertia = oracle::random_inertia(random);
      joint.drive = {true, true, true, true};
    }
    TrueParameters parameters = true_parameters(robot);
    for (Drive& drive : parameters.drives) {
      drive.rotor_inertia = 0.3;
      drive.friction.viscous = 2;
      drive.friction.coulomb = 1.5;
      drive.friction.offset = 0.3;
    }
    for (PairDrive& pair : parameters.pairs) pair = {0.05, 0.4, 0.2};
    ClosedLoopOptions options;
    options.position_noise = one(1e-5);
    const ClosedLoopMotion motion = closed_loop(robot, parameters, cases::motion(robot.dof(), 3, 2), options);
    const Plan plan = make_plan(robot);
    VectorXd values(static_cast<Index>(plan.columns.size()));
    values.head(parameters.standard.size()) = parameters.standard;
    for (std::size_t k = static_cast<std::size_t>(parameters.standard.size()); k < plan.columns.size(); ++k) {
      const std::string& c = plan.columns[k];
      const double pair = c.starts_with("Iam")   ? 0.05
                          : c.starts_with("fvm") ? 0.4
                          : c.starts_with("fcm") ? 0.2
                                                 : 0;
      const double own = c.starts_with("Ia")   ? 0.3
                         : c.starts_with("fv") ? 2
                         : c.starts_with("fc") ? 1.5
                                               : 0.3;
      values[static_cast<Index>(k)] = pair > 0 ? pair : own;
    }
    Index moving = 0;
    for (Index s = 0; s < motion.q.rows(); s += 7) {
      if (motion.qd.row(s).cwiseAbs().minCoeff() < 1e-9) continue;  // friction at rest is not a function of q̇
      const VectorXd tau = regressor(plan, motion.q.row(s).transpose(), motion.qd.row(s).transpose(),
                                     motion.qdd.row(s).transpose()) *
                           values;
      ASSERT_LT((tau - motion.effort.row(s).transpose()).norm(), 1e-9 * (1 + tau.norm())) << name << " " << s;
      ++moving;
    }
    EXPECT_GT(moving, 200) << name;
  }
}

TEST(ClosedLoop, ComputedTorqueWithTheRightModelFollowsTheMotion) {
  const Robot robot = oracle::random_robot(21, {});
  TrueParameters parameters = true_parameters(robot);
  for (Drive& drive : parameters.drives) drive.friction.viscous = 0.5;
  ClosedLoopOptions options;
  std::vector<double> errors;
  for (const double rate : {500.0, 1000.0}) {
    options.rate = rate;
    const ClosedLoopMotion motion = closed_loop(robot, parameters, cases::motion(robot.dof(), 4, 3), options);
    errors.push_back(motion.worst_error.maxCoeff());
  }
  // Holding the effort lags by half a period; the loop turns it into a position error in proportion.
  EXPECT_LT(errors[1], 2e-3);
  EXPECT_NEAR(errors[0] / errors[1], 2, 0.3);
}

TEST(ClosedLoop, EncodersRoundAndTheLogShowsWhatTheControllerSaw) {
  const Robot robot = slider(1);
  ClosedLoopOptions options;
  options.velocity = VelocityChannel::from_positions;
  options.position_noise = one(1e-4);
  options.quantum = one(1e-5);
  options.effort_noise = one(0.5);
  options.seed = 7;
  const Trajectory motion = cases::motion(1, 5, 3);
  const ClosedLoopMotion first = closed_loop(robot, true_parameters(robot), motion, options);
  const VectorXd steps = first.measured.col(0) / 1e-5;
  EXPECT_LT((steps - steps.array().round().matrix()).cwiseAbs().maxCoeff(), 1e-6);
  const VectorXd noise = first.measured.col(0) - first.q.col(0);
  EXPECT_NEAR(std::sqrt(noise.squaredNorm() / 3001), 1e-4, 5e-6);  // 1.3 % of itself, and the rounding
  const steelyard::Run run = closed_loop_log(first, options);
  EXPECT_EQ(cases::row(run, "position", 0), first.measured.col(0));
  EXPECT_NEAR((cases::row(run, "torque", 0) - first.effort.col(0)).norm() / std::sqrt(3001), 0.5, 0.03);
  const ClosedLoopMotion again = closed_loop(robot, true_parameters(robot), motion, options);
  EXPECT_TRUE(cases::same_bytes(first.q.data(), again.q.data(), first.q.size()));
  options.seed = 8;
  EXPECT_NE(closed_loop(robot, true_parameters(robot), motion, options).q, first.q);
}

TEST(ClosedLoop, WrongInputIsRefused) {
  const Robot robot = slider(1);
  const TrueParameters parameters = true_parameters(robot);
  const Trajectory motion = cases::motion(1, 5, 1);
  ClosedLoopOptions options;
  options.bandwidth = 100;
  EXPECT_THROW(closed_loop(robot, parameters, motion, options), InputError);
  options = {};
  EXPECT_THROW(closed_loop(robot, parameters, cases::motion(2, 5, 1), options), InputError);
  TrueParameters wrong = parameters;
  wrong.drives[0].friction.coulomb = -1;
  EXPECT_THROW(closed_loop(robot, wrong, motion, options), InputError);
  wrong = parameters;
  wrong.standard[0] = -1;
  try {
    closed_loop(robot, wrong, motion, options);
    FAIL() << "a negative mass moves";
  } catch (const InputError& error) {
    EXPECT_NE(error.complaint().what.find("mass matrix"), std::string::npos);
  }
}

}  // namespace closed_loop_test
}  // namespace steelyard
