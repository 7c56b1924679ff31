#include "steelyard/robot/inertia.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>

namespace steelyard {
namespace pose_test {

constexpr double kEps = std::numeric_limits<double>::epsilon();
constexpr double kPi = std::numbers::pi;

Pose random_pose(std::mt19937& random) {
  std::uniform_real_distribution<double> u(-2, 2);
  Pose pose;
  pose.rotation =
      Eigen::Quaterniond(u(random), u(random), u(random), u(random)).normalized().toRotationMatrix();
  pose.position = Vector3(u(random), u(random), u(random));
  return pose;
}

double distance(const Pose& a, const Pose& b) {
  return (a.rotation - b.rotation).norm() + (a.position - b.position).norm();
}

TEST(Pose, TimesItsInverseIsTheIdentity) {
  std::mt19937 random(1);
  for (int i = 0; i < 100; ++i) {
    const Pose T = random_pose(random);
    // Two 3x3 products with entries up to 2: a few dozen roundings.
    EXPECT_LT(distance(T * T.inverse(), Pose()), 50 * kEps) << "seed 1, draw " << i;
    EXPECT_LT(distance(T.inverse() * T, Pose()), 50 * kEps) << "seed 1, draw " << i;
  }
}

TEST(Pose, ProductMovesPointsOneAfterTheOther) {
  std::mt19937 random(2);
  for (int i = 0; i < 100; ++i) {
    const Pose A = random_pose(random), B = random_pose(random);
    const Vector3 x(0.3, -0.7, 1.1);
    const Vector3 in_B = B.rotation * x + B.position;
    const Vector3 in_A = A.rotation * in_B + A.position;
    const Pose AB = A * B;
    EXPECT_LT((AB.rotation * x + AB.position - in_A).norm(), 50 * kEps) << "seed 2, draw " << i;
  }
}

TEST(Turn, QuarterTurnsAreExact) {
  const double sines[] = {0, 1, 0, -1}, cosines[] = {1, 0, -1, 0};
  for (int k = -8; k <= 8; ++k) {
    const SinCos sc = exact_sin_cos(k * kPi / 2);
    EXPECT_EQ(sc.sin, sines[((k % 4) + 4) % 4]) << k;
    EXPECT_EQ(sc.cos, cosines[((k % 4) + 4) % 4]) << k;
  }
}

TEST(Turn, NearlyAQuarterTurnIsLeftAlone) {
  const double angle = kPi / 2 + 1e-12;
  EXPECT_EQ(exact_sin_cos(angle).cos, std::cos(angle));
  EXPECT_NE(exact_sin_cos(angle).cos, 0);
  EXPECT_TRUE(std::isnan(exact_sin_cos(std::numeric_limits<double>::quiet_NaN()).sin));
  EXPECT_EQ(exact_sin_cos(1e300).sin, std::sin(1e300));
}

TEST(Turn, AgreesWithEigenAboutEveryAxis) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> angle(-7, 7);
  for (int i = 0; i < 60; ++i) {
    const double a = angle(random);
    const Eigen::Vector3d unit = Eigen::Vector3d::Unit(i % 3);
    const Eigen::Matrix3d expected = Eigen::AngleAxisd(a, unit).toRotationMatrix();
    EXPECT_LT((turn(i % 3, a) - expected).norm(), 8 * kEps) << "seed 3, angle " << a;
    EXPECT_LT((turn_about(unit, a) - expected).norm(), 8 * kEps) << "seed 3, angle " << a;
    const Eigen::Vector3d tilted = (unit + Eigen::Vector3d(0.1 * i, 0.4, -0.2)).normalized();
    // The tilted axis has unit length to within eps only; both forms carry that on.
    EXPECT_LT((turn_about(tilted, a) - Eigen::AngleAxisd(a, tilted).toRotationMatrix()).norm(), 20 * kEps);
  }
}

TEST(Skew, IsTheCrossProduct) {
  const Eigen::Vector3d a(1, -2, 3), b(0.5, 4, -1);
  EXPECT_EQ(Eigen::Vector3d(skew(a) * b), a.cross(b));
}

TEST(Steps, OfXyzRpyAreTheUrdfOrigin) {
  std::mt19937 random(4);
  std::uniform_real_distribution<double> u(-3, 3);
  for (int i = 0; i < 50; ++i) {
    const Vector3 xyz(u(random), u(random), u(random)), rpy(u(random), u(random), u(random));
    const Pose pose = to_pose(steps_from_xyz_rpy(xyz, rpy, "j"));
    const Eigen::Matrix3d expected = (Eigen::AngleAxisd(rpy[2], Eigen::Vector3d::UnitZ()) *
                                      Eigen::AngleAxisd(rpy[1], Eigen::Vector3d::UnitY()) *
                                      Eigen::AngleAxisd(rpy[0], Eigen::Vector3d::UnitX()))
                                         .toRotationMatrix();
    EXPECT_LT((pose.rotation - expected).norm(), 20 * kEps) << "seed 4, draw " << i;
    EXPECT_EQ(pose.position, xyz);
  }
}

TEST(Steps, OfZeroAreLeftOutAndTheOthersNamed) {
  const Steps steps = steps_from_xyz_rpy(Vector3(0, 0.5, 0), Vector3(kPi, 0, 0), "wrist");
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(steps[0].name, "wrist.y");
  EXPECT_EQ(steps[0].motion, Motion::move_y);
  EXPECT_EQ(steps[1].name, "wrist.roll");
  EXPECT_EQ(steps[1].motion, Motion::turn_x);
}

TEST(Motion, KnowsItsAxisAndKind) {
  const Motion all[] = {Motion::turn_x, Motion::turn_y, Motion::turn_z,
                        Motion::move_x, Motion::move_y, Motion::move_z};
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(axis_index(all[i]), i % 3);
    EXPECT_EQ(is_turn(all[i]), i < 3);
  }
}

}  // namespace pose_test
}  // namespace steelyard
