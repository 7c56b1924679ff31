// Weighted and iteratively reweighted least squares against the same recipes on stacked rows.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "estimate/estimate_cases.hpp"
#include "steelyard/estimate/estimate.hpp"

namespace steelyard {
namespace weights_test {

using namespace estimate_tests;

Estimate weighted(const std::vector<Rows>& rows, Weighting weighting) {
  EstimateOptions options;
  options.weighting = weighting;
  return estimate(folds_of(rows), options);
}

// 1/σ of each kind by the residuals of a dense solution.
std::vector<double> next_weights(const std::vector<Rows>& rows, const Dense& solution) {
  std::vector<double> weights;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const double degrees = static_cast<double>(rows[k].Y.rows()) - solution.share[k];
    weights.push_back(std::sqrt(degrees) / solution.residual[k]);
  }
  return weights;
}

void expect_values(const Estimate& found, const Dense& expected, double tolerance) {
  for (Index k = 0; k < 5; ++k) {
    const double sigma = std::sqrt(expected.inverse(k, k));
    EXPECT_NEAR(found.values[k], expected.x[k], tolerance * sigma) << k;
  }
}

TEST(WeightedLeastSquares, IsTheDenseRecipe) {
  const std::vector<Rows> rows = three_kinds(100, 21);
  const Estimate found = weighted(rows, Weighting::by_row);
  const std::vector<double> weights = next_weights(rows, dense(rows, {1, 1, 1}));
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(found.weights[k], weights[k], 1e-10 * weights[k]);
    EXPECT_NEAR(found.per_row[k].sigma, 1 / weights[k], 1e-10 / weights[k]);
  }
  const Dense expected = dense(rows, weights);
  expect_values(found, expected, 1e-9);
  double squares = 0;
  for (std::size_t k = 0; k < 3; ++k) squares += std::pow(weights[k] * expected.residual[k], 2);
  EXPECT_NEAR(found.sigma_rows, std::sqrt(squares / 305), 1e-10);
  for (Index k = 0; k < 5; ++k) {
    EXPECT_NEAR(found.sigma[k], found.sigma_rows * std::sqrt(expected.inverse(k, k)), 1e-9 * found.sigma[k]);
  }
}

TEST(WeightedLeastSquares, FindsTheDeviationsAndIsSharperThanOrdinary) {
  const std::vector<Rows> rows = three_kinds(2000, 22);
  const Estimate plain = weighted(rows, Weighting::none), found = weighted(rows, Weighting::by_row_iterated);
  EXPECT_EQ(found.status, EstimateStatus::solved);
  const double noise[] = {0.1, 1.0, 0.02};
  // 2000 rows give a standard deviation to 1/√4000 = 1.6 %.
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(found.per_row[k].sigma, noise[k], 0.08 * noise[k]);
  EXPECT_NEAR(found.sigma_rows, 1, 1e-6);
  for (Index k = 0; k < 5; ++k) {
    EXPECT_LT(found.sigma[k], plain.sigma[k]);
    EXPECT_NEAR(found.values[k], truth()[k], 5 * found.sigma[k]);
  }
}

TEST(WeightedLeastSquares, IteratedIsTheFixedPointOfTheRecipe) {
  const std::vector<Rows> rows = three_kinds(60, 23);
  const Estimate found = weighted(rows, Weighting::by_row_iterated);
  EXPECT_EQ(found.status, EstimateStatus::solved);
  std::vector<double> weights = {1, 1, 1};
  for (int k = 0; k < 60; ++k) weights = next_weights(rows, dense(rows, weights));
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(found.weights[k], weights[k], 1e-8 * weights[k]);
  expect_values(found, dense(rows, weights), 1e-7);
}

// Twelve blocks of two kinds, two of them spoilt by a disturbance.
std::vector<Rows> blocks_with_disturbance(std::uint64_t seed) {
  Random random(seed, "blocks");
  std::vector<Rows> rows;
  for (Index block = 0; block < 12; ++block) {
    rows.push_back(make_rows("torque:one", {0, 1, 2, 3, 4}, 50, 0.1, random, "N*m", block));
    rows.push_back(make_rows("torque:two", {1, 3, 4}, 50, 1.0, random, "N*m", block));
    if (block == 4 || block == 5) {
      for (Index s = 0; s < 50; ++s) rows[static_cast<std::size_t>(2 * block)].tau[s] += 5 * random.normal();
    }
  }
  return rows;
}

TEST(ReweightedLeastSquares, ByRowAndBlockIsTheFixedPointOfTheRecipe) {
  const std::vector<Rows> rows = blocks_with_disturbance(24);
  const Estimate found = weighted(rows, Weighting::by_row_and_block);
  EXPECT_EQ(found.status, EstimateStatus::solved);
  std::vector<double> weights(rows.size(), 1);
  for (int iteration = 0; iteration < 100; ++iteration) {
    const Dense solution = dense(rows, weights);
    std::vector<double> s(rows.size());
    for (std::size_t k = 0; k < rows.size(); ++k) {
      s[k] = solution.residual[k] / std::sqrt(std::max(50 - solution.share[k], 12.5));
    }
    for (std::size_t kind = 0; kind < 2; ++kind) {
      std::vector<double> sorted;
      for (std::size_t k = kind; k < rows.size(); k += 2) sorted.push_back(s[k]);
      std::sort(sorted.begin(), sorted.end());
      const double sigma = (sorted[5] + sorted[6]) / 2;
      for (std::size_t k = kind; k < rows.size(); k += 2)
        weights[k] = std::sqrt(std::min(1.0, 1.5 * sigma / s[k])) / sigma;
    }
  }
  for (std::size_t k = 0; k < rows.size(); ++k)
    EXPECT_NEAR(found.weights[k], weights[k], 1e-7 * weights[k]) << k;
  expect_values(found, dense(rows, weights), 1e-6);
}

TEST(ReweightedLeastSquares, SpoiltBlocksLoseTheirWeight) {
  double plain_error = 0, robust_error = 0;
  for (std::uint64_t seed = 30; seed < 50; ++seed) {
    const std::vector<Rows> rows = blocks_with_disturbance(seed);
    const Estimate plain = weighted(rows, Weighting::by_row),
                   robust = weighted(rows, Weighting::by_row_and_block);
    plain_error += (plain.values - truth()).cwiseQuotient(robust.sigma).squaredNorm();
    robust_error += (robust.values - truth()).cwiseQuotient(robust.sigma).squaredNorm();
    EXPECT_LT(robust.weights[8], 0.5 * robust.weights[0]) << "seed " << seed;
  }
  EXPECT_LT(robust_error, 0.5 * plain_error);
}

TEST(ReweightedLeastSquares, SaysWhenItDidNotConverge) {
  EstimateOptions options;
  options.weighting = Weighting::by_row_iterated;
  options.max_iterations = 1;
  EXPECT_EQ(estimate(folds_of(three_kinds(50, 25)), options).status, EstimateStatus::not_converged);
}

}  // namespace weights_test
}  // namespace steelyard
