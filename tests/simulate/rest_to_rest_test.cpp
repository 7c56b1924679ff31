// Series with lead-ins, and moves with given times.
#include <gtest/gtest.h>

#include <cmath>

#include "steelyard/core/error.hpp"
#include "steelyard/simulate/trajectory.hpp"

namespace steelyard {
namespace {

FourierSeries two_joint_series() {
  FourierSeries series;
  series.omega = 0.7;
  series.a.resize(2, 2);
  series.b.resize(2, 2);
  series.a << 0.3, -0.2, 0.1, 0.4;
  series.b << -0.5, 0.2, 0.3, 0.1;
  series.q0 = VectorXd::LinSpaced(2, 0.5, -0.4);
  series.duration = 11;
  return series;
}

TEST(RestToRest, BeginsAndEndsAtRestAndIsSmoothWhereThePartsMeet) {
  for (const bool has_ends : {false, true}) {
    RestToRest motion{two_joint_series(), 1.5, {}, {}};
    if (has_ends) motion.start = motion.finish = VectorXd::Constant(2, 0.2);
    const Trajectory trajectory(motion), series(motion.series);
    EXPECT_DOUBLE_EQ(trajectory.duration(), 14);
    for (const double end : {0.0, 14.0}) {
      EXPECT_LT(trajectory.at(end).qd.norm(), 1e-12);
      EXPECT_LT(trajectory.at(end).qdd.norm(), 1e-11);
      if (has_ends) {
        EXPECT_LT((trajectory.at(end).q - motion.start).norm(), 1e-12);
      }
    }
    for (const double border : {1.5, 12.5}) {
      const double h = 1e-7;  // jerk is below 10: q̈ changes by less than 2e-6
      const JointState before = trajectory.at(border - h), after = trajectory.at(border + h);
      EXPECT_LT((before.q - after.q).norm(), 1e-6);
      EXPECT_LT((before.qd - after.qd).norm(), 1e-5);
      EXPECT_LT((before.qdd - after.qdd).norm(), 1e-5);
    }
    EXPECT_LT((trajectory.at(5).q - series.at(3.5).q).norm(), 1e-14);
  }
}

TEST(RestToRest, ChoosesTheRestWithTheLeastJerk) {
  const RestToRest free{two_joint_series(), 2, {}, {}};
  const auto jerk = [](const RestToRest& motion) {
    const Trajectory trajectory(motion);
    double sum = 0;
    for (int k = 0; k < 2000; ++k) {
      const double t = 2 * k / 2000.0, h = 1e-3;
      sum += (trajectory.at(t + h).qdd - trajectory.at(t).qdd).squaredNorm();
    }
    return sum;
  };
  const VectorXd chosen = Trajectory(free).at(0).q;
  RestToRest given = free;
  given.start = chosen;
  const double smallest = jerk(given);
  for (const double shift : {-0.05, 0.05}) {
    given.start = chosen + VectorXd::Constant(2, shift);
    EXPECT_GT(jerk(given), smallest);
  }
}

TEST(PointToPoint, KeepsGivenTimes) {
  PointToPoint moves;
  moves.points = {VectorXd::Zero(1), VectorXd::Constant(1, 2), VectorXd::Constant(1, 2),
                  VectorXd::Constant(1, -1)};
  moves.time = VectorXd::Constant(1, 4);
  moves.dwell = VectorXd::Constant(1, 0.5);
  const Trajectory trajectory(moves);
  EXPECT_DOUBLE_EQ(trajectory.duration(), 14);
  EXPECT_NEAR(trajectory.at(2.5).q[0], 1, 1e-12);
  EXPECT_NEAR(trajectory.at(2.5).qd[0], 1.5 * 2 / 4, 1e-12);
  EXPECT_NEAR(trajectory.at(7).q[0], 2, 1e-12);
  double fastest = 0, strongest = 0;
  for (int k = 0; k <= 14000; ++k) {
    const JointState at = trajectory.at(k / 1000.0);
    fastest = std::max(fastest, std::abs(at.qd[0]));
    strongest = std::max(strongest, std::abs(at.qdd[0]));
  }
  EXPECT_NEAR(fastest, 1.5 * 3 / 4, 1e-12);
  EXPECT_NEAR(strongest, 5.625 * 3 / 16, 1e-12);
  moves.velocity = VectorXd::Constant(1, 1);
  EXPECT_THROW(Trajectory{moves}, InputError);
}

}  // namespace
}  // namespace steelyard
