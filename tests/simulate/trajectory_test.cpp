#include "steelyard/simulate/trajectory.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "cases.hpp"
#include "steelyard/core/random.hpp"

namespace steelyard {
namespace trajectory_test {

constexpr double kEps = 2.3e-16;

// Five-point differences with h = 1e-3 s: rounding eps·|q|/h² ≈ 1e-9 for q̈, truncation h⁴ω⁴/90·|q̈| < 1e-9
// for motions up to 1 Hz.
void expect_derivatives(const Trajectory& motion, double t) {
  const double h = 1e-3;
  const VectorXd a = motion.at(t - 2 * h).q, b = motion.at(t - h).q, c = motion.at(t).q;
  const VectorXd d = motion.at(t + h).q, e = motion.at(t + 2 * h).q;
  const JointState x = motion.at(t);
  EXPECT_LT(((a - 8 * b + 8 * d - e) / (12 * h) - x.qd).cwiseAbs().maxCoeff(), 1e-9) << t;
  EXPECT_LT(((-a + 16 * b - 30 * c + 16 * d - e) / (12 * h * h) - x.qdd).cwiseAbs().maxCoeff(), 2e-8) << t;
}

TEST(FourierSeries, IsThePaperFormula) {
  const FourierSeries series = cases::panda_series();
  const Trajectory motion(series);
  EXPECT_EQ(motion.joints(), 7);
  EXPECT_EQ(motion.duration(), 21);
  for (const double t : {0.0, 0.3, 7.1, 20.9}) {
    const VectorXd q = motion.at(t).q;
    for (Index j = 0; j < 7; ++j) {
      double wanted = series.q0[j];
      for (Index l = 1; l <= 5; ++l) {
        const double w = static_cast<double>(l) * series.omega;
        wanted += series.a(l - 1, j) / w * std::sin(w * t) - series.b(l - 1, j) / w * std::cos(w * t);
      }
      EXPECT_NEAR(q[j], wanted, 20 * kEps);  // ten terms below one
    }
  }
}

TEST(FourierSeries, LastsOnePeriodUnlessToldOtherwise) {
  FourierSeries series = cases::panda_series();
  series.duration = 0;
  const Trajectory motion(series);
  EXPECT_DOUBLE_EQ(motion.duration(), 2 / 0.15);
  // A rounding of the time by eps·t, times the velocity.
  EXPECT_LT((motion.at(1).q - motion.at(1 + motion.duration()).q).norm(), 1e-13);
}

TEST(Series, DerivativesAgreeWithDifferences) {
  const Trajectory fourier(cases::panda_series());
  const Trajectory sines(cases::motion(6, 4));
  Random random(1, "times");
  for (int i = 0; i < 50; ++i) {
    const double t = random.uniform(-5, 25);
    expect_derivatives(fourier, t);
    expect_derivatives(sines, t);
  }
}

TEST(MultiSine, IsItsFormula) {
  MultiSine sines;
  sines.omega = (VectorXd(2) << 1.5, 4).finished();
  sines.amplitude = (MatrixXd(2, 1) << 0.3, -0.2).finished();
  sines.phase = (MatrixXd(2, 1) << 0.7, 2).finished();
  sines.center = cases::one(0.1);
  sines.duration = 3;
  const JointState x = Trajectory(sines).at(0.8);
  EXPECT_NEAR(x.q[0], 0.1 + 0.3 * std::sin(1.5 * 0.8 + 0.7) - 0.2 * std::sin(4 * 0.8 + 2), 10 * kEps);
  EXPECT_NEAR(x.qd[0], 0.45 * std::cos(1.5 * 0.8 + 0.7) - 0.8 * std::cos(4 * 0.8 + 2), 10 * kEps);
}

TEST(Trajectory, GivesTheSameBytesAloneAndAmongOthers) {
  PointToPoint moves;
  moves.points = {VectorXd::Zero(3), VectorXd::Ones(3)};
  moves.velocity = moves.acceleration = VectorXd::Ones(1);
  steelyard::Run run{{}, SampleBlock({"position"}, 3, 50)};
  for (Index s = 0; s < 50; ++s) {
    run.samples.time()[s] = 0.1 * static_cast<double>(s);
    for (Index j = 0; j < 3; ++j) run.samples.row(0, j)[s] = std::sin(static_cast<double>(s * (j + 1)));
  }
  for (const Trajectory& motion :
       {Trajectory(cases::motion(3, 9)), Trajectory(moves), Trajectory(sampled_motion(run))}) {
    const Index n = 137;
    const VectorXd time = VectorXd::LinSpaced(n, -0.1, 5.2);
    MatrixXd q(n, 3), qd(n, 3), qdd(n, 3);
    motion.evaluate(time.data(), n, q.data(), qd.data(), qdd.data(), n);
    for (Index s = 0; s < n; ++s) {
      const JointState x = motion.at(time[s]);
      for (Index j = 0; j < 3; ++j) {
        EXPECT_EQ(x.q[j], q(s, j));
        EXPECT_EQ(x.qd[j], qd(s, j));
        EXPECT_EQ(x.qdd[j], qdd(s, j));
      }
    }
  }
}

RandomMotion wide_motion() {
  RandomMotion options;
  options.harmonics = 5;
  options.period = 13.33;
  options.center = (VectorXd(3) << 0.2, -1, 0).finished();
  options.reach = (VectorXd(3) << 1.5, 1, 2).finished();
  return options;
}

// Largest |q − centre|, |q̇|, |q̈| of each joint on a grid much finer than the one that scaled it.
struct Most {
  VectorXd q, qd, qdd;
};
Most most(const MultiSine& sines) {
  const Trajectory motion(sines);
  const Index n = 40000;
  const VectorXd time = VectorXd::LinSpaced(n, 0, motion.duration());
  MatrixXd q(n, 3), qd(n, 3), qdd(n, 3);
  motion.evaluate(time.data(), n, q.data(), qd.data(), qdd.data(), n);
  q.rowwise() -= sines.center.transpose();
  return {q.cwiseAbs().colwise().maxCoeff(), qd.cwiseAbs().colwise().maxCoeff(),
          qdd.cwiseAbs().colwise().maxCoeff()};
}

TEST(RandomMultiSine, ReachesItsReachAndNotMore) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(seed);
    const RandomMotion options = wide_motion();
    const VectorXd reached = most(random_multi_sine(options, seed)).q.cwiseQuotient(options.reach);
    EXPECT_LE(reached.maxCoeff(), 1);
    EXPECT_GE(reached.minCoeff(), 1 - 2e-4);  // twice the share given up for the grid
  }
}

TEST(RandomMultiSine, KeepsLimitsOfVelocityAndAcceleration) {
  RandomMotion options = wide_motion();
  options.velocity = (VectorXd(3) << 0.5, kInfinity, kInfinity).finished();
  options.acceleration = (VectorXd(3) << kInfinity, 0.4, kInfinity).finished();
  const Most reached = most(random_multi_sine(options, 3));
  EXPECT_LE(reached.qd[0], 0.5);
  EXPECT_GE(reached.qd[0], 0.5 * (1 - 2e-4));
  EXPECT_LE(reached.qdd[1], 0.4);
  EXPECT_GE(reached.qdd[1], 0.4 * (1 - 2e-4));
  EXPECT_LT(reached.q[0], 1.5);
  EXPECT_GE(reached.q[2], 2 * (1 - 2e-4));
}

TEST(RandomMultiSine, DependsOnTheSeedAndNotOnFurtherJoints) {
  const RandomMotion three = wide_motion();
  RandomMotion two = three;
  two.center.conservativeResize(2);
  two.reach.conservativeResize(2);
  EXPECT_EQ(random_multi_sine(three, 1).amplitude.leftCols(2), random_multi_sine(two, 1).amplitude);
  EXPECT_NE(random_multi_sine(three, 1).amplitude, random_multi_sine(three, 2).amplitude);
}

}  // namespace trajectory_test
}  // namespace steelyard
