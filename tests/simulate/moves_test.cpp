// Point-to-point motions and motions through samples.
#include <gtest/gtest.h>

#include <cmath>

#include "cases.hpp"
#include "steelyard/core/random.hpp"

namespace steelyard {
namespace {

PointToPoint one_joint(double way, double V, double A, double J) {
  PointToPoint moves;
  moves.points = {cases::one(0), cases::one(way)};
  moves.velocity = cases::one(V);
  moves.acceleration = cases::one(A);
  moves.jerk = cases::one(J);
  return moves;
}

TEST(PointToPoint, LastsAsLongAsTheClosedFormSays) {
  // V reached: way/V + V/A + A/J.
  EXPECT_NEAR(Trajectory(one_joint(-3, 1, 2, 20)).duration(), 3 + 0.5 + 0.1, 1e-14);
  // A reached, V not: twice Tj/2 + √(Tj²/4 + way/A).
  EXPECT_NEAR(Trajectory(one_joint(0.3, 1, 2, 20)).duration(), 0.1 + 2 * std::sqrt(0.0025 + 0.15), 1e-14);
  // Neither: four ramps of ∛(way/2J).
  EXPECT_NEAR(Trajectory(one_joint(0.01, 1, 2, 20)).duration(), 4 * std::cbrt(0.01 / 40), 1e-14);
  // V reached, A not: two pairs of ramps of √(V/J), and the rest of the way.
  EXPECT_NEAR(Trajectory(one_joint(3, 0.1, 2, 20)).duration(), 30 + 2 * std::sqrt(0.1 / 20), 1e-13);
}

PointToPoint random_moves(std::uint64_t seed) {
  Random random(seed, "moves");
  PointToPoint moves;
  for (int i = 0; i < 8; ++i) {
    VectorXd point(4);
    const double size = std::pow(10, random.uniform(-3, 0.5));
    for (double& q : point) q = random.uniform(-size, size);
    moves.points.push_back(point);
  }
  moves.velocity = (VectorXd(4) << 1, 2, 0.5, 3).finished();
  moves.acceleration = (VectorXd(4) << 3, 2, 5, 1).finished();
  moves.jerk = (VectorXd(4) << 30, 50, 10, 100).finished();
  moves.dwell = cases::one(0.25);
  return moves;
}

TEST(PointToPoint, KeepsLimitsAndUsesThem) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(seed);
    const PointToPoint moves = random_moves(seed);
    const Trajectory motion(moves);
    VectorXd velocity = VectorXd::Zero(4), acceleration = VectorXd::Zero(4), jerk = VectorXd::Zero(4);
    const double h = motion.duration() / 50000;
    VectorXd before = motion.at(0).qdd;
    for (int i = 0; i <= 50000; ++i) {
      const JointState x = motion.at(h * i);
      velocity = velocity.cwiseMax(x.qd.cwiseAbs());
      acceleration = acceleration.cwiseMax(x.qdd.cwiseAbs());
      jerk = jerk.cwiseMax((x.qdd - before).cwiseAbs() / h);
      before = x.qdd;
    }
    // A few roundings; the jerk by differences of accelerations of size A over h.
    EXPECT_LE(velocity.cwiseQuotient(moves.velocity).maxCoeff(), 1 + 1e-14);
    EXPECT_LE(acceleration.cwiseQuotient(moves.acceleration).maxCoeff(), 1 + 1e-14);
    EXPECT_LE(jerk.cwiseQuotient(moves.jerk).maxCoeff(), 1 + 1e-9);
    EXPECT_GE(jerk.cwiseQuotient(moves.jerk).maxCoeff(), 1 - 1e-9);
    EXPECT_GE(std::max(velocity.cwiseQuotient(moves.velocity).maxCoeff(),
                       acceleration.cwiseQuotient(moves.acceleration).maxCoeff()),
              0.999);
  }
}

TEST(PointToPoint, DerivativesAgreeWithDifferences) {
  const PointToPoint moves = random_moves(2);
  const Trajectory motion(moves);
  Random random(2, "times");
  const double h = 1e-4;
  for (int i = 0; i < 1000; ++i) {
    const double t = random.uniform(0.01, motion.duration() - 0.01);
    const JointState before = motion.at(t - h), now = motion.at(t), after = motion.at(t + h);
    for (Index j = 0; j < 4; ++j) {
      // Jerk is bounded: central differences are off by at most J h²/6 (twice where it jumps) and J h.
      EXPECT_NEAR((after.q[j] - before.q[j]) / (2 * h), now.qd[j], moves.jerk[j] * h * h + 1e-11);
      EXPECT_NEAR((after.qd[j] - before.qd[j]) / (2 * h), now.qdd[j], moves.jerk[j] * h + 1e-11);
    }
  }
}

TEST(PointToPoint, ReachesItsPointsExactlyAndRestsThere) {
  const PointToPoint moves = random_moves(3);
  const Trajectory motion(moves);
  // Times of the points: where the motion rests; found by walking along.
  std::size_t reached = 0;
  for (double t = 0.125; t < motion.duration() && reached < moves.points.size(); t += 1e-3) {
    const JointState x = motion.at(t);
    if (x.q == moves.points[reached] && x.qd.isZero(0) && x.qdd.isZero(0)) ++reached;
  }
  EXPECT_EQ(reached, moves.points.size());
  for (const double t : {-1.0, 0.0}) EXPECT_EQ(motion.at(t).q, moves.points.front());
  for (const double t : {motion.duration(), 1e6}) {
    EXPECT_EQ(motion.at(t).q, moves.points.back());
    EXPECT_TRUE(motion.at(t).qd.isZero(0));
  }
}

TEST(PointToPoint, MovesAllJointsTogetherOnAStraightLine) {
  PointToPoint moves;
  moves.points = {VectorXd::Zero(2), (VectorXd(2) << 1, -0.25).finished()};
  moves.velocity = moves.acceleration = VectorXd::Ones(1);
  const Trajectory motion(moves);
  for (double t = 0; t < motion.duration(); t += 0.01) {
    const JointState x = motion.at(t);
    EXPECT_NEAR(x.q[1], -0.25 * x.q[0], 1e-15);
    EXPECT_NEAR(x.qdd[1], -0.25 * x.qdd[0], 1e-15);
  }
}

TEST(PointToPoint, DwellsAsLongAsEachPointSays) {
  PointToPoint moves = one_joint(1, 1, 1, 10);
  const double plain = Trajectory(moves).duration();
  moves.dwell = (VectorXd(2) << 0.5, 2).finished();
  const Trajectory motion(moves);
  EXPECT_NEAR(motion.duration(), plain + 2.5, 1e-14);
  EXPECT_EQ(motion.at(0.5).q[0], 0);
  EXPECT_GT(motion.at(0.6).q[0], 0);
  EXPECT_EQ(motion.at(motion.duration() - 1.99).q[0], 1);
}

// Stamps that are not uniform, 0 … 2.
VectorXd stamps(Index n, std::uint64_t seed) {
  Random random(seed, "stamps");
  VectorXd time(n);
  for (Index i = 0; i < n; ++i)
    time[i] = 2 * (static_cast<double>(i) + 0.3 * random.uniform()) / static_cast<double>(n);
  return time;
}

TEST(SampledMotion, OfACubicIsThatCubic) {
  SampledMotion samples;
  samples.time = stamps(9, 1);
  samples.q = samples.time.unaryExpr([](double t) { return 1 - 2 * t + 3 * t * t - 0.5 * t * t * t; });
  const Trajectory motion(samples);
  const double begin = samples.time[0];
  for (double t = begin; t < samples.time[8]; t += 0.01) {
    const JointState x = motion.at(t - begin);
    EXPECT_NEAR(x.q[0], 1 - 2 * t + 3 * t * t - 0.5 * t * t * t, 1e-13);
    EXPECT_NEAR(x.qd[0], -2 + 6 * t - 1.5 * t * t, 1e-12);
    EXPECT_NEAR(x.qdd[0], 6 - 3 * t, 1e-11);
  }
}

TEST(SampledMotion, WithDerivativesOfAQuinticIsThatQuintic) {
  const auto q = [](double t) {
    return 0.3 + t - t * t + 2 * t * t * t - std::pow(t, 4) + 0.2 * std::pow(t, 5);
  };
  const auto qd = [](double t) { return 1 - 2 * t + 6 * t * t - 4 * t * t * t + std::pow(t, 4); };
  const auto qdd = [](double t) { return -2 + 12 * t - 12 * t * t + 4 * t * t * t; };
  SampledMotion samples;
  samples.time = stamps(6, 2);
  samples.q = samples.time.unaryExpr(q);
  samples.qd = samples.time.unaryExpr(qd);
  samples.qdd = samples.time.unaryExpr(qdd);
  const Trajectory motion(samples);
  const double begin = samples.time[0];
  for (double t = begin; t < samples.time[5]; t += 0.01) {
    const JointState x = motion.at(t - begin);
    EXPECT_NEAR(x.q[0], q(t), 1e-13);
    EXPECT_NEAR(x.qd[0], qd(t), 1e-12);
    EXPECT_NEAR(x.qdd[0], qdd(t), 1e-11);
  }
}

TEST(SampledMotion, SplineErrorsFallWithTheStep) {
  const auto worst = [](Index n) {
    SampledMotion samples;
    samples.time = stamps(n, 3);
    samples.q = (3 * samples.time.array()).sin();
    const Trajectory motion(samples);
    double error = 0;
    for (double t = 0; t < motion.duration(); t += 1e-3)
      error = std::max(error, std::abs(motion.at(t).qdd[0] + 9 * std::sin(3 * (t + samples.time[0]))));
    return error;
  };
  const double coarse = worst(50), fine = worst(200);
  EXPECT_LT(coarse, 81 * 0.06 * 0.06);  // h²·q⁗ with the largest step
  EXPECT_LT(fine, coarse / 8);          // a quarter of the step: a sixteenth, stamps are random
}

TEST(SampledMotion, KeepsTheStateOfItsEnds) {
  SampledMotion samples;
  samples.time = VectorXd::LinSpaced(5, 10, 14);
  samples.q = samples.time;
  const Trajectory motion(samples);
  EXPECT_EQ(motion.duration(), 4);
  EXPECT_EQ(motion.at(-1).q[0], 10);
  EXPECT_NEAR(motion.at(-1).qd[0], 1, 1e-14);
  EXPECT_NEAR(motion.at(5).q[0], 14, 1e-14);
}

}  // namespace
}  // namespace steelyard
