// Gears that take of their load: found again, chosen where they are, and not where they are not.
#include <gmock/gmock.h>

#include <cmath>

#include "estimate/friction_cases.hpp"

namespace steelyard {
namespace {

using namespace friction_tests;

namespace gear_tests {

Friction gear(double coulomb, double driving, double driven) {
  Friction f;
  f.viscous = 0.4;
  f.coulomb = coulomb;
  f.load_driving = driving;
  f.load_driven = driven;
  return f;
}

FrictionRequest with_load(FrictionForm form, LoadFriction load) {
  FrictionRequest out = request(form);
  out.load = load;
  return out;
}

double deviation_of(const Estimate& estimate, const std::string& column) {
  const Index k = estimate.find(column);
  EXPECT_GE(k, 0) << column;
  return k >= 0 ? estimate.sigma[k] : 0;
}

}  // namespace gear_tests

using namespace gear_tests;

TEST(GearFriction, IsFoundWithoutNoise) {
  const FrictionArm arm(gear(1, 0.12, 0.12), gear(0.5, 0.3, 0.3), 0);
  const FrictionRequest loaded = with_load(FrictionForm::linear, LoadFriction::load);
  const FrictionFit fit = arm.fit({loaded, loaded});
  ASSERT_TRUE(fit.converged);
  // Signs differ from the truth only where the load vanishes; the rest is rounding of the filter.
  EXPECT_NEAR(fit.joints[0].model.driving, 0.12, 1e-6);
  EXPECT_NEAR(fit.joints[1].model.driving, 0.3, 1e-6);
  const Estimate estimate = arm.estimate_at(fit);
  EXPECT_NEAR(estimate.values[estimate.find("fc1")], 1, 1e-5);
  EXPECT_NEAR(estimate.values[estimate.find("fc2")], 0.5, 1e-5);
}

TEST(GearFriction, IsFoundWithinItsDeviationsUnderNoise) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    SCOPED_TRACE(seed);
    const FrictionArm arm(gear(1, 0.12, 0.12), gear(0.5, 0.2, 0.2), 0.3, seed);
    const FrictionRequest loaded = with_load(FrictionForm::linear, LoadFriction::load);
    const FrictionFit fit = arm.fit({loaded, loaded});
    ASSERT_TRUE(fit.converged);
    EXPECT_LE(fit.iterations, 10);
    const Estimate estimate = arm.estimate_at(fit);
    const double truth[] = {0.12, 0.2};
    for (std::size_t j = 0; j < 2; ++j) {
      const std::string tangent = "mu" + std::to_string(j + 1) + ".load";
      const Index k = estimate.find(tangent);
      EXPECT_EQ(fit.joints[j].status, FrictionStatus::determined) << fit.joints[j].evidence;
      EXPECT_LT(std::abs(fit.joints[j].model.driving - truth[j]), 4 * deviation_of(estimate, tangent));
      EXPECT_LT(deviation_of(estimate, tangent), 0.1 * truth[j]);
      // At the minimum nothing is left along the tangent.
      EXPECT_LT(std::abs(estimate.values[k]), 0.1 * deviation_of(estimate, tangent));
    }
  }
}

TEST(GearFriction, LowersTheCostFromThatWithoutIt) {
  const FrictionArm arm(gear(1, 0.12, 0.12), gear(0.5, 0.3, 0.3), 0.3);
  const FrictionFit without = arm.fit({request(FrictionForm::linear), request(FrictionForm::linear)});
  const FrictionRequest loaded = with_load(FrictionForm::linear, LoadFriction::load);
  const FrictionFit with = arm.fit({loaded, loaded});
  EXPECT_GT(without.cost, 0);
  // Weights are those of each fit: what is compared are residuals in units of themselves, rows each.
  const Estimate before = arm.estimate_at(without), after = arm.estimate_at(with);
  for (std::size_t r = 0; r < 2; ++r) EXPECT_LT(after.per_row[r].norm, before.per_row[r].norm);
}

TEST(GearFriction, IsChosenWhereItIs) {
  const FrictionArm arm(gear(1, 0.12, 0.12), gear(0.5, 0, 0), 0.3);
  const std::vector<FrictionChoice> found = arm.choose({{}, {}});
  EXPECT_EQ(found[0].model.load, LoadFriction::load) << found[0].reason;
  EXPECT_EQ(found[0].model.form, FrictionForm::linear) << found[0].reason;
  EXPECT_EQ(found[1].model.load, LoadFriction::none) << found[1].reason;
  EXPECT_LT(found[0].chosen, found[0].linear);
}

TEST(GearFriction, OfASigmoidHasItsSmoothSign) {
  Friction first = sigmoid(3, 8, 0);
  first.viscous = 0.4;
  first.load_driving = first.load_driven = 0.15;
  first.load_velocity = 0.25;
  const FrictionArm arm(first, gear(0.5, 0, 0), 0.1);
  const FrictionFit fit =
      arm.fit({with_load(FrictionForm::sigmoid, LoadFriction::load), request(FrictionForm::linear)});
  ASSERT_TRUE(fit.converged);
  EXPECT_GT(fit.joints[0].model.load_velocity, 0);
  EXPECT_NEAR(fit.joints[0].model.driving, 0.15, 0.01);
}

TEST(GearFriction, ThatDiffersByDirectionIsFound) {
  const FrictionArm arm(gear(1, 0.1, 0.25), gear(0.5, 0, 0), 0.1);
  const FrictionFit fit =
      arm.fit({with_load(FrictionForm::linear, LoadFriction::directional), request(FrictionForm::linear)});
  ASSERT_TRUE(fit.converged);
  EXPECT_EQ(fit.joints[0].model.load, LoadFriction::directional) << fit.joints[0].evidence;
  EXPECT_NEAR(fit.joints[0].model.driving, 0.1, 0.02);
  EXPECT_NEAR(fit.joints[0].model.driven, 0.25, 0.02);
}

// A share that grows towards rest, beside one that does not: on the arm that hangs on joint 2.
TEST(GearFriction, ThatGrowsTowardsRestIsFoundAndChosen) {
  Friction grown = gear(0.5, 0, 0);
  grown.load_mean = 0.1;
  grown.load_peak = 0.2, grown.load_peak_velocity = 0.4;
  const FrictionArm exact(gear(1, 0, 0), grown, 0);
  const std::vector<FrictionRequest> given = {request(FrictionForm::linear),
                                              with_load(FrictionForm::linear, LoadFriction::stribeck)};
  const FrictionFit fit = exact.fit(given);
  ASSERT_TRUE(fit.converged);
  const FrictionModel& found = fit.joints[1].model;
  ASSERT_EQ(found.load, LoadFriction::stribeck) << fit.joints[1].evidence;
  // The convergence is a thousandth of σ² of a fit without noise: rounding of the filter.
  EXPECT_NEAR(found.load_mean, 0.1, 1e-5);
  EXPECT_NEAR(found.load_peak, 0.2, 1e-5);
  EXPECT_NEAR(found.load_peak_velocity, 0.4, 1e-4);
  const FrictionArm noisy(gear(1, 0, 0), grown, 0.2, 4);
  EXPECT_EQ(noisy.choose({{}, {}})[1].model.load, LoadFriction::stribeck);
  const FrictionFit under_noise = noisy.fit(given);
  const Estimate estimate = noisy.estimate_at(under_noise);
  const FrictionModel& own = under_noise.joints[1].model;
  EXPECT_LT(std::abs(own.load_mean - 0.1), 4 * deviation_of(estimate, "mu2.mean"));
  EXPECT_LT(std::abs(own.load_peak - 0.2), 4 * deviation_of(estimate, "mu2.peak"));
  EXPECT_LT(std::abs(std::log(own.load_peak_velocity / 0.4)), 4 * deviation_of(estimate, "mu2.velocity"));
}

TEST(GearFriction, ThatDoesNotGrowTowardsRestHasOneShare) {
  const FrictionArm arm(gear(1, 0, 0), gear(0.5, 0.15, 0.15), 0.3);
  EXPECT_EQ(arm.choose({{}, {}})[1].model.load, LoadFriction::load);
  const FrictionFit fit =
      arm.fit({request(FrictionForm::linear), with_load(FrictionForm::linear, LoadFriction::stribeck)});
  EXPECT_EQ(fit.joints[1].model.load, LoadFriction::load);
  EXPECT_EQ(fit.joints[1].status, FrictionStatus::load);
  EXPECT_THAT(fit.joints[1].evidence, testing::HasSubstr("towards rest"));
  EXPECT_NEAR(fit.joints[1].model.driving, 0.15, 0.02);
}

// An unknown gain of a drive and a gear that differs by direction look the same.
TEST(GearFriction, HasNoDirectionWhereGainsAreUnknown) {
  const FrictionArm arm(gear(1, 0.1, 0.25), gear(0.5, 0, 0), 0.1);
  FrictionRequest alike;
  EXPECT_EQ(arm.choose({alike, alike})[0].model.load, LoadFriction::directional);
  alike.may_direct = false;
  EXPECT_EQ(arm.choose({alike, alike})[0].model.load, LoadFriction::load);
}

TEST(GearFriction, ThatTheDataDoNotShowIsDropped) {
  const FrictionArm arm(gear(1, 0, 0), gear(0.5, 0.15, 0.15), 0.3);
  const FrictionFit fit = arm.fit({with_load(FrictionForm::linear, LoadFriction::load),
                                   with_load(FrictionForm::linear, LoadFriction::directional)});
  EXPECT_EQ(fit.joints[0].status, FrictionStatus::no_load);
  EXPECT_EQ(fit.joints[0].model.load, LoadFriction::none);
  EXPECT_THAT(fit.joints[0].evidence, testing::HasSubstr("standard deviation"));
  EXPECT_EQ(fit.joints[1].model.load, LoadFriction::load) << fit.joints[1].evidence;
  EXPECT_EQ(fit.joints[1].status, FrictionStatus::load);
}

}  // namespace
}  // namespace steelyard
