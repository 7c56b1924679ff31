// Bodies that links are compared with, and links that nobody would believe.
#include "steelyard/feasible/reference.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "feasible/random_problem.hpp"
#include "steelyard/feasible/plausible.hpp"

namespace steelyard {
namespace reference_test {
namespace {

Robot without_inertias(Robot robot) {
  for (Joint& joint : robot.joints) joint.inertia.reset();
  return robot;
}

Robot arm(int links) {
  feasible_test::RandomProblemOptions options;
  options.links = links;
  return feasible_test::random_problem(3, options).robot;
}

Inertia ellipsoid(double mass, const Vector3& axes) {
  const Matrix3 second = mass / 5 * Matrix3(axes.cwiseAbs2().asDiagonal());
  return Inertia::from_mass_com_inertia(mass, Vector3(0.1, 0, 0.2),
                                        second.trace() * Matrix3::Identity() - second);
}

TEST(Reference, IsTheFileWhereItGivesABodyAndTheNearestBodyWhereItDoesNot) {
  Robot robot = arm(3);
  for (Joint& joint : robot.joints) joint.inertia = ellipsoid(2, Vector3(0.1, 0.08, 0.2));
  const Quantities quantities(robot);
  const Reference file = reference_bodies(robot, quantities);
  EXPECT_EQ(file.links, std::vector<ReferenceKind>(3, ReferenceKind::file));
  EXPECT_NEAR(file.mass(), 6, 1e-12);
  Vector10 impossible = robot.joints[1].inertia->to_standard();
  impossible[4] *= 30;  // Jxx above Jyy + Jzz
  robot.joints[1].inertia = Inertia::from_standard(impossible);
  const Reference repaired = reference_bodies(robot, quantities);
  EXPECT_EQ(repaired.links[1], ReferenceKind::repaired);
  EXPECT_FALSE(Inertia::from_standard(repaired.x.segment<10>(10)).violated_law());
  EXPECT_NEAR(repaired.x[10], 2, 2);  // of the same mass, about
  ReferenceOptions options;
  options.file = false;
  EXPECT_EQ(reference_bodies(robot, quantities, options).links[0], ReferenceKind::uniform);
}

// Efforts of the uniform bodies themselves, at another density: it is found.
TEST(Reference, TakesItsDensityFromTheEfforts) {
  const Robot robot = without_inertias(arm(4));
  const Quantities quantities(robot, {"fv1"});
  Objective objective;
  objective.columns = quantities.columns();
  objective.R = MatrixXd::Identity(quantities.size(), quantities.size());
  objective.z = VectorXd::Zero(quantities.size());
  ReferenceOptions heavy;
  heavy.total_mass = 50;
  const Reference known = reference_bodies(robot, quantities, objective, heavy);
  EXPECT_NEAR(known.mass(), 50, 1e-9);
  objective.z = objective.R * known.x;
  objective.z[quantities.size() - 1] = 7;  // friction is free
  const Reference found = reference_bodies(robot, quantities, objective);
  EXPECT_NEAR((found.x - known.x).norm() / known.x.norm(), 0, 1e-9);
}

// Axes that slide past each other are near each other whatever they carry: their way says how large they are.
TEST(Reference, WhatSlidesIsAsLongAsItsWay) {
  Robot robot = without_inertias(arm(2));
  for (Joint& joint : robot.joints) joint.kind = JointKind::prismatic;
  const auto mass = [&](double way) {
    for (Joint& joint : robot.joints) joint.limits.lower = 0, joint.limits.upper = way;
    const Quantities quantities(robot);
    Objective nothing;  // no row: the density of water
    nothing.columns = quantities.columns();
    nothing.R = MatrixXd::Zero(quantities.size(), quantities.size());
    nothing.z = VectorXd::Zero(quantities.size());
    return reference_bodies(robot, quantities, nothing).mass();
  };
  EXPECT_EQ(mass(1e-6), mass(1e-3));  // shorter than the links
  EXPECT_GT(mass(8), 3 * mass(2));
  EXPECT_EQ(mass(INFINITY), mass(1e-3));
}

TEST(Plausible, DensityIsThatOfTheEllipsoid) {
  const Vector3 axes(0.1, 0.05, 0.2);
  const double volume = 4.0 / 3 * std::numbers::pi * axes.prod();
  EXPECT_NEAR(ellipsoid_density(ellipsoid(3, axes)), 3 / volume, 1e-9 * 3 / volume);
}

TEST(Plausible, ReportsDenseLightAndHeavyLinks) {
  Robot robot = arm(3);
  for (Joint& joint : robot.joints) joint.inertia = ellipsoid(2, Vector3(0.1, 0.08, 0.2));
  const Quantities quantities(robot);
  const Reference reference = reference_bodies(robot, quantities);
  EXPECT_TRUE(implausible_links(quantities, reference, reference.x).empty());
  VectorXd x = reference.x;
  x.segment<10>(10) = ellipsoid(2, Vector3(0.002, 0.002, 0.2)).to_standard();
  ASSERT_EQ(implausible_links(quantities, reference, x).size(), 1u);
  EXPECT_EQ(implausible_links(quantities, reference, x)[0].link, 1);
  x.segment<10>(10) = ellipsoid(0.05, Vector3(0.1, 0.08, 0.2)).to_standard();
  ASSERT_EQ(implausible_links(quantities, reference, x).size(), 1u);
  x = 2.5 * reference.x;  // all together
  ASSERT_EQ(implausible_links(quantities, reference, x).size(), 1u);
  EXPECT_EQ(implausible_links(quantities, reference, x)[0].link, -1);
}

}  // namespace
}  // namespace reference_test
}  // namespace steelyard
