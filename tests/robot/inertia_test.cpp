// Laws of the ten parameters, for random bodies made of point masses (always possible) and for impossible
// ones.
#include "steelyard/robot/inertia.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace steelyard {
namespace inertia_test {

using ::testing::HasSubstr;

constexpr double kEps = std::numeric_limits<double>::epsilon();

struct PointMass {
  double mass;
  Eigen::Vector3d position;
};

std::vector<PointMass> random_cloud(std::mt19937& random, int count) {
  std::uniform_real_distribution<double> u(-1, 1);
  std::vector<PointMass> cloud;
  for (int i = 0; i < count; ++i) {
    cloud.push_back({1.5 + u(random), Eigen::Vector3d(u(random), u(random), u(random))});
  }
  return cloud;
}

// The definition itself: sums over the points, no parallel-axis theorem.
Inertia sum_over(const std::vector<PointMass>& cloud, const Pose& T_AB = Pose()) {
  Vector10 p = Vector10::Zero();
  for (const PointMass& point : cloud) {
    const Eigen::Vector3d x = T_AB.rotation * point.position + T_AB.position;
    p[0] += point.mass;
    p.segment<3>(1) += point.mass * x;
    p[4] += point.mass * (x[1] * x[1] + x[2] * x[2]);
    p[5] -= point.mass * x[0] * x[1];
    p[6] -= point.mass * x[0] * x[2];
    p[7] += point.mass * (x[0] * x[0] + x[2] * x[2]);
    p[8] -= point.mass * x[1] * x[2];
    p[9] += point.mass * (x[0] * x[0] + x[1] * x[1]);
  }
  return Inertia::from_standard(p);
}

Pose random_pose(std::mt19937& random) {
  std::uniform_real_distribution<double> u(-2, 2);
  Pose pose;
  pose.rotation =
      Eigen::Quaterniond(u(random), u(random), u(random), u(random)).normalized().toRotationMatrix();
  pose.position = Vector3(u(random), u(random), u(random));
  return pose;
}

double smallest_eigenvalue(const Inertia& inertia) {
  return Eigen::SelfAdjointEigenSolver<Eigen::Matrix4d>(inertia.pseudo_inertia()).eigenvalues()[0];
}

TEST(Inertia, NobodyGaveIsNotANumber) {
  EXPECT_FALSE(Inertia().is_finite());
  EXPECT_TRUE(std::isnan(Inertia().mass()));
  ASSERT_TRUE(Inertia().violated_law());
  EXPECT_THAT(*Inertia().violated_law(), HasSubstr("finite"));
}

TEST(Inertia, OfZeroMassHasNoCentreOfMassAndBreaksNoLaw) {
  EXPECT_TRUE(std::isnan(Inertia::zero().com()[0]));
  EXPECT_TRUE(std::isnan(Inertia::zero().inertia_com()(0, 0)));
  EXPECT_FALSE(Inertia::zero().violated_law());
}

TEST(Inertia, ConversionsInPairsAreInverse) {
  std::mt19937 random(11);
  for (int i = 0; i < 100; ++i) {
    const Inertia body = sum_over(random_cloud(random, 5));
    const Vector10 p = body.to_standard();
    // Parameters are sums of five terms of order 1; each conversion adds a few roundings of J's size.
    const double tolerance = 20 * kEps * p.norm();
    EXPECT_EQ(Inertia::from_standard(p).to_standard(), p);
    const Inertia again = Inertia::from_mass_com_inertia(body.mass(), body.com(), body.inertia_com());
    EXPECT_LT((again.to_standard() - p).norm(), tolerance) << "seed 11, draw " << i;
    EXPECT_LT((Inertia::from_pseudo_inertia(body.pseudo_inertia()).to_standard() - p).norm(), tolerance)
        << "seed 11, draw " << i;
    EXPECT_EQ(body.pseudo_inertia(), body.pseudo_inertia().transpose());
  }
}

TEST(Inertia, PseudoInertiaIsTheSumOfOuterProducts) {
  std::mt19937 random(12);
  const std::vector<PointMass> cloud = random_cloud(random, 7);
  Eigen::Matrix4d P = Eigen::Matrix4d::Zero();
  for (const PointMass& point : cloud) {
    const Eigen::Vector4d x = point.position.homogeneous();
    P += point.mass * x * x.transpose();
  }
  // Seven terms of order 1 summed in two different orders.
  EXPECT_LT((sum_over(cloud).pseudo_inertia() - P).norm(), 50 * kEps * P.norm());
}

TEST(Inertia, SeenFromAnotherFrameIsThatOfTheMovedPoints) {
  std::mt19937 random(13);
  for (int i = 0; i < 100; ++i) {
    const std::vector<PointMass> cloud = random_cloud(random, 6);
    const Pose T_AB = random_pose(random);
    const Vector10 expected = sum_over(cloud, T_AB).to_standard();
    const Vector10 moved = sum_over(cloud).expressed_in(T_AB).to_standard();
    // Rotation and parallel-axis terms: some dozens of roundings of the size of the largest parameter.
    EXPECT_LT((moved - expected).norm(), 60 * kEps * expected.norm()) << "seed 13, draw " << i;
  }
}

TEST(Inertia, MovedThereAndBackIsUnchanged) {
  std::mt19937 random(14);
  for (int i = 0; i < 100; ++i) {
    const Inertia body = sum_over(random_cloud(random, 6));
    const Pose T = random_pose(random);
    const Inertia there = body.expressed_in(T);
    const Inertia back = there.expressed_in(T.inverse());
    // The way back subtracts numbers of the size of `there`.
    EXPECT_LT((back.to_standard() - body.to_standard()).norm(), 100 * kEps * there.to_standard().norm())
        << "seed 14, draw " << i;
  }
}

TEST(Inertia, OfTwoBodiesIsTheSum) {
  std::mt19937 random(15);
  std::vector<PointMass> a = random_cloud(random, 4);
  const std::vector<PointMass> b = random_cloud(random, 3);
  const Vector10 sum = (sum_over(a) + sum_over(b)).to_standard();
  a.insert(a.end(), b.begin(), b.end());
  EXPECT_LT((sum_over(a).to_standard() - sum).norm(), 20 * kEps * sum.norm());
}

TEST(Inertia, OfAUniformBoxIsTheTextbookOne) {
  const double m = 3, a = 0.2, b = 0.3, c = 0.5;
  const Matrix3 I =
      Eigen::Vector3d(m / 12 * (b * b + c * c), m / 12 * (a * a + c * c), m / 12 * (a * a + b * b))
          .asDiagonal()
          .toDenseMatrix();
  const Inertia corner = Inertia::from_mass_com_inertia(m, Vector3(a / 2, b / 2, c / 2), I);
  // Known integrals over a box with one corner at the origin.
  EXPECT_NEAR(corner.to_standard()[4], m / 3 * (b * b + c * c), 10 * kEps);
  EXPECT_NEAR(corner.to_standard()[5], -m / 4 * a * b, 10 * kEps);
  EXPECT_NEAR(corner.to_standard()[9], m / 3 * (a * a + b * b), 10 * kEps);
}

TEST(Inertia, LawHoldsExactlyWhenThePseudoInertiaIsPositiveSemidefinite) {
  std::mt19937 random(16);
  std::normal_distribution<double> normal;
  int possible = 0, impossible = 0;
  for (int i = 0; i < 2000; ++i) {
    Eigen::Matrix4d P;
    for (int k = 0; k < 16; ++k) P(k / 4, k % 4) = normal(random);
    // A product A Aᵀ with one flipped eigenvalue now and then, so that both sides are met.
    P = (P * P.transpose() - (i % 2) * 0.3 * Eigen::Matrix4d::Identity()).eval();
    const Inertia body = Inertia::from_pseudo_inertia(P);
    const double smallest = smallest_eigenvalue(body);
    if (std::abs(smallest) < 1e-6 * P.norm())
      continue;  // too near the border for the 1e-9 tolerance of the law
    EXPECT_EQ(!body.violated_law(), smallest > 0)
        << "seed 16, draw " << i << ": " << body.to_standard().transpose();
    ++(smallest > 0 ? possible : impossible);
  }
  EXPECT_GT(possible, 200);
  EXPECT_GT(impossible, 200);
}

TEST(Inertia, OfPointsOnALineOrInOnePointIsStillPossible) {
  std::mt19937 random(17);
  for (int count = 1; count <= 3; ++count) {
    for (int i = 0; i < 50; ++i) {
      // Degenerate pseudo-inertia: the smallest eigenvalue is zero but for rounding.
      EXPECT_FALSE(sum_over(random_cloud(random, count)).violated_law()) << "seed 17, draw " << i;
    }
  }
}

TEST(Inertia, NamesTheViolatedLawWithItsNumbers) {
  const Vector3 com(0.1, 0, 0);
  const auto law = [&](double mass, const Matrix3& I) {
    return Inertia::from_mass_com_inertia(mass, com, I).violated_law().value_or("none");
  };
  EXPECT_THAT(law(-2, Matrix3::Identity()), HasSubstr("positive mass: m = -2"));
  const std::string triangle = law(1, symmetric_matrix(0.1, 0, 0, 0.2, 0, 0.5));
  EXPECT_THAT(triangle, HasSubstr("triangle inequality"));
  EXPECT_THAT(triangle, HasSubstr("0.1, 0.2, 0.5"));
  EXPECT_THAT(triangle, HasSubstr("by 0.2"));
  const std::string negative = law(1, symmetric_matrix(-0.25, 0, 0, 1, 0, 1));
  EXPECT_THAT(negative, HasSubstr("positive inertia"));
  EXPECT_THAT(negative, HasSubstr("-0.25"));
  EXPECT_EQ(law(1, symmetric_matrix(0.1, 0, 0, 0.2, 0, 0.3)), "none");  // a flat plate lies on the border
}

TEST(Inertia, WithoutMassButWithMomentsIsImpossible) {
  Vector10 p = Vector10::Zero();
  p[4] = 1e-3;
  ASSERT_TRUE(Inertia::from_standard(p).violated_law());
  EXPECT_THAT(*Inertia::from_standard(p).violated_law(), HasSubstr("m = 0"));
}

}  // namespace inertia_test
}  // namespace steelyard
