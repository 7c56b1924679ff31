// Intervals: how often they hold the truth, what they say of columns nobody knows, and the flag for bias.
#include <gtest/gtest.h>

#include <cmath>

#include "estimate/estimate_cases.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/estimate/bias.hpp"
#include "steelyard/estimate/intervals.hpp"

namespace steelyard {
namespace {

using namespace estimate_tests;

constexpr Index kBlocks = 20, kCount = 10;

// The same rows again and again; the noise of torque:one follows a first-order process over the blocks.
std::vector<Rows> noisy_rows(double keep, std::uint64_t repeat) {
  std::vector<Rows> all;
  Random noise(3, "coloured noise", repeat);
  double state = noise.normal();
  for (Index b = 0; b < kBlocks; ++b) {
    Random random(2, "rows", static_cast<std::uint64_t>(b));
    all.push_back(make_rows("torque:one", {0, 1, 2, 3, 4}, kCount, 0, random, "N*m", b));
    // Slow regressors: their products with slow noise are slow.
    for (Index k = 0; k < 5; ++k) {
      VectorXd column = all.back().Y.col(k);
      for (Index s = 1; s < kCount; ++s) column[s] = 0.9 * column[s - 1] + std::sqrt(0.19) * column[s];
      all.back().Y.col(k) = column;
    }
    all.back().tau = all.back().Y * truth();
    for (double& tau : all.back().tau) {
      state = keep * state + std::sqrt(1 - keep * keep) * noise.normal();
      tau += 0.1 * state;
    }
  }
  return all;
}

VectorXd coverage_of(IntervalMethod method, double keep) {
  constexpr std::uint64_t kRepeats = 1000;
  VectorXd held = VectorXd::Zero(5);
  for (std::uint64_t r = 0; r < kRepeats; ++r) {
    const std::vector<Fold> folds = folds_of(noisy_rows(keep, r));
    EstimateOptions quick;
    quick.conditions = false;
    const Estimate fit = estimate(folds, quick);
    const BlockMoments moments = block_moments(folds, fit);
    IntervalOptions options;
    options.method = method;
    options.bootstrap.replicates = 200;
    options.bootstrap.seed = r;
    const Intervals found = intervals(fit, &moments, options);
    for (Index i = 0; i < 5; ++i) held[i] += found.lower[i] <= truth()[i] && truth()[i] <= found.upper[i];
  }
  return held / static_cast<double>(kRepeats);
}

// Shares from 1000 repetitions have a standard deviation of 0.7 points at 95 %.
TEST(Intervals, HoldTheTruthAsOftenAsTheySayForWhiteNoise) {
  for (const IntervalMethod method : {IntervalMethod::classical, IntervalMethod::bootstrap}) {
    const VectorXd held = coverage_of(method, 0);
    EXPECT_GE(held.minCoeff(), 0.92) << to_string(method);
    EXPECT_NEAR(held.mean(), 0.95, 0.02) << to_string(method);
  }
}

TEST(Intervals, OfTheBootstrapAlsoForColouredNoiseButNotTheClassicalOnes) {
  const VectorXd bootstrapped = coverage_of(IntervalMethod::bootstrap, 0.9);
  EXPECT_GE(bootstrapped.minCoeff(), 0.90);
  EXPECT_NEAR(bootstrapped.mean(), 0.95, 0.025);
  EXPECT_LE(coverage_of(IntervalMethod::classical, 0.9).mean(), 0.85);
}

TEST(Intervals, AreNotGivenForColumnsThatAreNotDetermined) {
  std::vector<Rows> rows = noisy_rows(0, 1);
  for (Rows& part : rows) part.Y.col(3) = 2 * part.Y.col(1);
  const std::vector<Fold> folds = folds_of(rows);
  const Estimate fit = estimate(folds);
  ASSERT_EQ(fit.status, EstimateStatus::deficient);
  const BlockMoments moments = block_moments(folds, fit);
  const Intervals found = intervals(fit, &moments);
  for (const char* name : {"b", "d"}) EXPECT_TRUE(std::isnan(found.sigma[fit.find(name)])) << name;
  for (const char* name : {"a", "c", "e"}) {
    EXPECT_GT(found.sigma[fit.find(name)], 0) << name;
    EXPECT_LT(found.lower[fit.find(name)], found.upper[fit.find(name)]) << name;
  }
}

TEST(Intervals, FallBackToClassicalWithTooFewBlocks) {
  std::vector<Rows> rows = noisy_rows(0, 1);
  for (Rows& part : rows) part.block /= 5;
  const std::vector<Fold> folds = folds_of(rows);
  const Estimate fit = estimate(folds);
  const BlockMoments moments = block_moments(folds, fit);
  const Intervals found = intervals(fit, &moments);
  EXPECT_EQ(found.blocks, 4);
  EXPECT_EQ(found.method, IntervalMethod::classical);
  EXPECT_EQ(found.sigma, fit.sigma);
}

// The mean of filtered white noise is as uncertain as that of so many independent values.
TEST(EffectiveShare, IsThatOfTheMeanOfFilteredNoise) {
  constexpr Index kSamples = 2400;
  constexpr int kRepeats = 800;
  const LowPass filter = design_low_pass(4, 10, 200);
  for (const Index decimation : {1, 8, 40}) {
    double mean_square = 0, square = 0;
    Index kept = 0;
    for (int r = 0; r < kRepeats; ++r) {
      Random random(5, "filtered noise", static_cast<std::uint64_t>(r));
      VectorXd noise(kSamples);
      for (double& value : noise) value = random.normal();
      filter_zero_phase(filter, noise.data(), kSamples, 1, kSamples);
      double sum = 0;
      kept = 0;
      for (Index s = 400; s < kSamples - 400; s += decimation, ++kept) {
        sum += noise[s];
        square += noise[s] * noise[s];
      }
      mean_square += sum * sum;
    }
    // Var(mean) = σ² / (share · rows).
    const double share = square / mean_square;
    // A variance from 800 means is known to 5 %; three standard deviations.
    EXPECT_NEAR(effective_share(filter, decimation), std::min(1.0, share), 0.15 * share) << decimation;
  }
}

TEST(DifferentiationBias, IsFlaggedWhenEstimatesMoveMoreThanTheirBlocksExplain) {
  const std::vector<Fold> folds = folds_of(noisy_rows(0, 1));
  const Estimate fit = estimate(folds);
  const MatrixXd influences = block_influences(block_moments(folds, fit));
  const VectorXd sigma = fit.sigma;
  // Other estimates from the same blocks: the first parameter is moved by a bias that grows with f³, the
  // second by something too small to matter.
  Estimate low = fit, high = fit;
  low.values[0] -= 7.0 / 8 * sigma[0];
  high.values[0] += 7 * sigma[0];
  high.values[1] += 7 * 0.4 * sigma[1];
  const OtherCutoff others[] = {{&low, influences, 0.5}, {&high, influences, 2}};
  const DifferentiationBias found = differentiation_bias(fit, influences, sigma, others);
  EXPECT_TRUE(found.biased[0]);
  EXPECT_NEAR(found.bias[0], sigma[0], 0.13 * sigma[0]);
  for (std::size_t k = 1; k < 5; ++k) EXPECT_FALSE(found.biased[k]) << k;
  // Moves below 2.5 standard deviations are no bias, when blocks do not say that they are more certain.
  const MatrixXd wide = influences + MatrixXd::Constant(5, kBlocks, 10 * sigma.maxCoeff());
  low.values[0] = fit.values[0] - 2.4 * sigma[0];
  const OtherCutoff within[] = {{&low, wide, 0.5}};
  EXPECT_FALSE(differentiation_bias(fit, influences, sigma, within).biased[0]);
  const OtherCutoff certain[] = {{&low, influences, 0.5}};
  EXPECT_TRUE(differentiation_bias(fit, influences, sigma, certain).biased[0]);
}

TEST(IntervalOptions, RefuseLevelsAndSharesThatAreNone) {
  IntervalOptions options;
  options.level = 95;
  EXPECT_THROW(options.validate(), InputError);
  options.level = 0.95;
  options.effective_share = 0;
  EXPECT_THROW(options.validate(), InputError);
}

}  // namespace
}  // namespace steelyard
