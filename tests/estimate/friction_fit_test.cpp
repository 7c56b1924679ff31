// Known friction is found again: forms, shapes, fallbacks, and the choice between forms.
#include "steelyard/estimate/friction_fit.hpp"

#include <gmock/gmock.h>

#include <cmath>

#include "estimate/friction_cases.hpp"

namespace steelyard {
namespace {

using namespace friction_tests;

double value(const Estimate& estimate, const std::string& column) {
  const Index k = estimate.find(column);
  EXPECT_GE(k, 0) << column;
  return k >= 0 ? estimate.values[k] : 0;
}

double sigma(const Estimate& estimate, const std::string& column) {
  const Index k = estimate.find(column);
  return k >= 0 ? estimate.sigma[k] : 0;
}

// A shape parameter against its truth, in units of the standard deviation its tangent has.
void expect_shape(double found, double truth, const Estimate& estimate, const std::string& tangent,
                  double height) {
  const double deviation = sigma(estimate, tangent) / height;
  EXPECT_GT(deviation, 0);
  EXPECT_LT(std::abs(found - truth), 4 * deviation) << tangent << " ± " << deviation;
}

TEST(FrictionFit, FindsASigmoidsShapeWithoutNoise) {
  Friction first = sigmoid(3, 8, 0.05), second = sigmoid(1.2, 20, -0.02);
  first.viscous = 0.7;
  second.offset = 0.3;
  const FrictionArm arm(first, second, 0);
  const FrictionFit fit = arm.fit({request(FrictionForm::sigmoid), request(FrictionForm::sigmoid)});
  ASSERT_TRUE(fit.converged);
  // What is left is rounding of the filter in chunks, 1e-12 of the columns, seen through the condition.
  EXPECT_NEAR(fit.joints[0].height, 3, 1e-7);
  EXPECT_NEAR(fit.joints[0].model.slope, 8, 1e-6);
  EXPECT_NEAR(fit.joints[0].model.shift, 0.05, 1e-8);
  EXPECT_NEAR(fit.joints[1].height, 1.2, 1e-7);
  EXPECT_NEAR(fit.joints[1].model.slope, 20, 1e-5);
  EXPECT_NEAR(fit.joints[1].model.shift, -0.02, 1e-8);
  const Estimate estimate = arm.estimate_at(fit);
  EXPECT_NEAR(value(estimate, "fv1"), 0.7, 1e-7);
  EXPECT_NEAR(value(estimate, "fo2"), 0.3, 1e-7);
}

TEST(FrictionFit, FindsASigmoidWithinItsDeviationsUnderNoise) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    SCOPED_TRACE(seed);
    const FrictionArm arm(sigmoid(3, 8, 0.05), sigmoid(1.2, 20, -0.02), 0.5, seed);
    const FrictionFit fit = arm.fit({request(FrictionForm::sigmoid), request(FrictionForm::sigmoid)});
    ASSERT_TRUE(fit.converged);
    EXPECT_LE(fit.next_gain, 1e-3);
    const Estimate estimate = arm.estimate_at(fit);
    const double heights[] = {3, 1.2}, slopes[] = {8, 20}, shifts[] = {0.05, -0.02};
    for (std::size_t j = 0; j < 2; ++j) {
      const FittedFriction& joint = fit.joints[j];
      const std::string own = "fh" + std::to_string(j + 1);
      EXPECT_EQ(joint.status, FrictionStatus::determined);
      EXPECT_LT(std::abs(joint.height - heights[j]), 4 * sigma(estimate, own)) << sigma(estimate, own);
      expect_shape(std::log(joint.model.slope), std::log(slopes[j]), estimate, own + ".slope", joint.height);
      expect_shape(joint.model.shift, shifts[j], estimate, own + ".shift", joint.height);
      // At the minimum nothing is left along the tangents.
      EXPECT_LT(std::abs(value(estimate, own + ".slope")), 0.1 * sigma(estimate, own + ".slope"));
    }
  }
}

TEST(FrictionFit, FindsStribeckFriction) {
  const FrictionArm arm(stribeck(2, 1.5, 0.2), stribeck(0.8, 0.9, 0.1), 0.2);
  const FrictionFit fit = arm.fit({request(FrictionForm::stribeck), request(FrictionForm::stribeck)});
  ASSERT_TRUE(fit.converged);
  const Estimate estimate = arm.estimate_at(fit);
  const double heights[] = {1.5, 0.9}, velocities[] = {0.2, 0.1}, coulomb[] = {2, 0.8};
  for (std::size_t j = 0; j < 2; ++j) {
    const std::string number = std::to_string(j + 1), own = "fs" + number;
    const FittedFriction& joint = fit.joints[j];
    EXPECT_EQ(joint.model.form, FrictionForm::stribeck);
    EXPECT_LT(std::abs(joint.height - heights[j]), 4 * sigma(estimate, own));
    expect_shape(std::log(joint.model.velocity), std::log(velocities[j]), estimate, own + ".velocity",
                 joint.height);
    EXPECT_LT(std::abs(value(estimate, "fc" + number) - coulomb[j]), 4 * sigma(estimate, "fc" + number));
  }
}

TEST(FrictionFit, FindsAsymmetricCoulombFriction) {
  Friction first, second;
  first.coulomb_positive = 2;
  first.coulomb_negative = 1.4;
  second.coulomb_positive = 0.3;
  second.coulomb_negative = 0.7;
  const FrictionArm arm(first, second, 0.2);
  const FrictionFit fit = arm.fit({request(FrictionForm::asymmetric), request(FrictionForm::asymmetric)});
  EXPECT_EQ(fit.iterations, 1);  // nothing to refine
  const Estimate estimate = arm.estimate_at(fit);
  EXPECT_EQ(estimate.status, EstimateStatus::solved);
  const double positive[] = {2, 0.3}, negative[] = {1.4, 0.7};
  for (std::size_t j = 0; j < 2; ++j) {
    const std::string number = std::to_string(j + 1);
    EXPECT_NEAR(value(estimate, "fp" + number), positive[j], 4 * sigma(estimate, "fp" + number));
    EXPECT_NEAR(value(estimate, "fn" + number), negative[j], 4 * sigma(estimate, "fn" + number));
    EXPECT_LT(sigma(estimate, "fp" + number), 0.05);
  }
}

TEST(FrictionFit, ThePapersSigmoidHasNeitherViscousTermNorOffset) {
  const FrictionArm arm(sigmoid(3, 8, 0.05), sigmoid(1.2, 20, -0.02), 0.2);
  FrictionRequest pure = request(FrictionForm::sigmoid);
  pure.viscous = pure.offset = false;
  const FrictionFit fit = arm.fit({pure, pure});
  const Estimate estimate = arm.estimate_at(fit);
  EXPECT_EQ(estimate.find("fv1"), -1);
  EXPECT_EQ(estimate.find("fo1"), -1);
  for (std::size_t j = 0; j < 2; ++j) {
    const FittedFriction& joint = fit.joints[j];
    const std::string own = "fh" + std::to_string(j + 1);
    expect_shape(std::log(joint.model.slope), std::log(j == 0 ? 8 : 20), estimate, own + ".slope",
                 joint.height);
    expect_shape(joint.model.shift, j == 0 ? 0.05 : -0.02, estimate, own + ".shift", joint.height);
  }
}

TEST(FrictionFit, FallsBackWhereTheShapeIsNotInTheData) {
  Friction viscous, coulomb;
  viscous.viscous = 2;
  coulomb.coulomb = 1;
  coulomb.offset = 0.2;
  const FrictionArm arm(viscous, coulomb, 0.2);
  FrictionRequest pure = request(FrictionForm::sigmoid);
  pure.viscous = pure.offset = false;
  const FrictionFit fit = arm.fit({pure, pure});
  EXPECT_EQ(fit.joints[0].status, FrictionStatus::viscous) << fit.joints[0].evidence;
  EXPECT_EQ(fit.joints[1].status, FrictionStatus::coulomb) << fit.joints[1].evidence;
  for (const FittedFriction& joint : fit.joints) {
    EXPECT_EQ(joint.model.form, FrictionForm::linear);
    EXPECT_FALSE(joint.evidence.empty());
  }
  EXPECT_TRUE(fit.joints[0].model.viscous);
  EXPECT_FALSE(fit.joints[0].model.coulomb);
  EXPECT_FALSE(fit.joints[1].model.viscous);
  const Estimate estimate = arm.estimate_at(fit);
  EXPECT_NEAR(value(estimate, "fv1"), 2, 4 * sigma(estimate, "fv1"));
  EXPECT_NEAR(value(estimate, "fc2"), 1, 4 * sigma(estimate, "fc2"));
  EXPECT_NEAR(value(estimate, "fo2"), 0.2, 4 * sigma(estimate, "fo2"));
}

TEST(FrictionFit, OneDegenerateJointDoesNotHoldUpTheOther) {
  Friction none;
  const FrictionArm arm(sigmoid(3, 8, 0.05), none, 0.2);
  const FrictionFit fit = arm.fit({request(FrictionForm::sigmoid), request(FrictionForm::sigmoid)});
  ASSERT_TRUE(fit.converged);
  EXPECT_EQ(fit.joints[0].status, FrictionStatus::determined);
  EXPECT_NEAR(fit.joints[0].model.slope, 8, 1);
  EXPECT_NE(fit.joints[1].status, FrictionStatus::determined);
  EXPECT_EQ(fit.joints[1].model.form, FrictionForm::linear);
}

TEST(FrictionChoice, PicksTheTrueForm) {
  Friction linear;
  linear.viscous = 1;
  linear.coulomb = 1.5;
  linear.offset = -0.3;
  Friction smooth = sigmoid(3, 8, 0.05);
  smooth.viscous = 0.5;
  const Friction bump = stribeck(1.5, 1.2, 0.15);
  const std::pair<Friction, FrictionForm> truths[] = {
      {linear, FrictionForm::linear}, {smooth, FrictionForm::sigmoid}, {bump, FrictionForm::stribeck}};
  for (const auto& [one, first] : truths) {
    for (const auto& [other, second] : truths) {
      const FrictionArm arm(one, other, 0.2);
      const std::vector<FrictionChoice> choices = arm.choose({{}, {}});
      EXPECT_EQ(choices[0].model.form, first) << choices[0].reason;
      EXPECT_EQ(choices[1].model.form, second) << choices[1].reason;
      for (const FrictionChoice& choice : choices) {
        EXPECT_LE(choice.chosen, choice.linear);
        EXPECT_FALSE(choice.reason.empty());
      }
    }
  }
}

// A peak as wide as half the fastest velocity, which hardly differs from viscous friction: the start is near its width.
TEST(FrictionChoice, MeetsPeaksOfEveryWidth) {
  for (const double width : {0.04, 0.15, 0.4, 0.8}) {
    SCOPED_TRACE(width);
    const FrictionArm arm(stribeck(1.5, 1.2, width), stribeck(1.5, 1.2, 0.15), 0.2);
    const std::vector<FrictionChoice> choices = arm.choose({{}, {}});
    ASSERT_EQ(choices[0].model.form, FrictionForm::stribeck) << choices[0].reason;
    // Neighbours of the dictionary are a factor 1.75 apart.
    EXPECT_LT(std::abs(std::log(choices[0].model.velocity / width)), std::log(1.75));
  }
}

TEST(FrictionFit, GivesTheSameBytesAgain) {
  const FrictionArm arm(sigmoid(3, 8, 0.05), stribeck(1.5, 1.2, 0.15), 0.2);
  const std::vector<FrictionRequest> requests = {request(FrictionForm::sigmoid),
                                                 request(FrictionForm::stribeck)};
  const FrictionFit one = arm.fit(requests), two = arm.fit(requests);
  EXPECT_EQ(one.iterations, two.iterations);
  EXPECT_EQ(one.cost, two.cost);
  EXPECT_EQ(one.joints[0].model.slope, two.joints[0].model.slope);
  EXPECT_EQ(one.joints[1].model.velocity, two.joints[1].model.velocity);
}

}  // namespace
}  // namespace steelyard
