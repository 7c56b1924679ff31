// Forecasts against closed forms, and against what comes true in a population of fits.
#include "steelyard/validate/forecast.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace steelyard {
namespace forecast_test {
namespace {

Fold fold_of(const MatrixXd& rows, Index block = 0) {
  Layout layout;
  layout.row = "torque:j";
  layout.unit = "N·m";
  layout.columns = {"a", "b", "c"};
  layout.efforts = {"torque"};
  layout.effort_units = {"N·m"};
  Fold fold(layout, block);
  fold.add(rows);
  return fold;
}

// Of the mean of n numbers: their variance over n, which the jackknife gives exactly.
TEST(Forecast, JackknifeOfAMeanIsItsStandardError) {
  const std::vector<double> x = {1, 4, 2, 8, 5, 7};
  const double n = static_cast<double>(x.size());
  double mean = 0, variance = 0;
  for (const double value : x) mean += value / n;
  for (const double value : x) variance += (value - mean) * (value - mean) / (n - 1);
  std::vector<VectorXd> refits;
  for (const double value : x) refits.push_back(VectorXd::Constant(1, (n * mean - value) / (n - 1)));
  EXPECT_NEAR(jackknife(refits).squaredNorm(), variance / n, 1e-14);
  EXPECT_EQ(jackknife({}).size(), 0);
}

TEST(Forecast, AddsNoiseAndSpreadOverTheRowsOfTheMotion) {
  ParameterSpread spread;
  spread.columns = {"b", "a"};  // in another order than the rows; c is known
  spread.scatter = MatrixXd::Zero(2, 2);
  spread.scatter << 0.3, 0, 0, 0.2;
  spread.expected = MatrixXd::Zero(2, 1);
  spread.expected(1, 0) = 0.1;
  spread.noise = {{"torque:j", 0.5}};
  MatrixXd rows(3, 4);
  rows << 1, 2, 3, 4, 0, 1, 0, 1, 2, 0, 7, 9;
  const Forecast found = forecast(std::vector<Fold>{fold_of(rows)}, spread);
  ASSERT_EQ(found.per_row.size(), 1u);
  const double squares_a = 1 + 4, squares_b = 4 + 1;
  const double expected = 3 * 0.25 + 0.09 * squares_b + (0.04 + 0.01) * squares_a;
  EXPECT_NEAR(found.per_row[0].expected, std::sqrt(expected), 1e-12);
  EXPECT_NEAR(found.per_row[0].effort, std::sqrt(16 + 1 + 81), 1e-12);
  EXPECT_LT(found.per_row[0].lower, found.per_row[0].expected);
  EXPECT_GT(found.per_row[0].upper, found.per_row[0].expected);
  EXPECT_NEAR(found.totals.at(0).expected, found.per_row[0].expected, 1e-12);
  // Efforts that the model predicts instead of the measured ones.
  spread.values = VectorXd::Zero(2);
  spread.values << 1, 10;
  EXPECT_NEAR(forecast(std::vector<Fold>{fold_of(rows)}, spread).per_row[0].effort,
              std::sqrt(12 * 12 + 1 + 20 * 20), 1e-12);
}

// 400 fits of 12 blocks with errors that the rows of a block share; the next motion excites what the log did
// not excite much. The bound is meant to hold in 90 %.
TEST(Forecast, UpperBoundHoldsInAPopulation) {
  int held = 0;
  double log_ratio = 0;
  constexpr int kFits = 400, kBlocks = 12, kRows = 20;
  for (int k = 0; k < kFits; ++k) {
    std::mt19937_64 random(static_cast<std::uint64_t>(k) + 1);
    std::normal_distribution<double> normal;
    const Eigen::Vector3d truth(1, -2, 0.5);
    std::vector<Fold> blocks;
    for (int b = 0; b < kBlocks; ++b) {
      MatrixXd rows(kRows, 4);
      const double shared = 0.5 * normal(random);
      for (int s = 0; s < kRows; ++s) {
        const Eigen::Vector3d y(normal(random), 0.3 * normal(random), 0.1 * normal(random));
        rows.row(s) << y.transpose(), y.dot(truth) + shared * y[0] + 0.1 * normal(random);
      }
      blocks.push_back(fold_of(rows, b));
    }
    const Estimate all = estimate(blocks);
    std::vector<VectorXd> refits;
    for (std::size_t g = 0; g < blocks.size(); ++g) {
      std::vector<Fold> others = blocks;
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(g));
      refits.push_back(estimate(others).values);
    }
    ParameterSpread spread;
    spread.columns = all.columns;
    spread.scatter = jackknife(refits);
    spread.noise = {{"torque:j", all.per_row[0].rms}};
    MatrixXd next(200, 4);
    double squares = 0;
    for (Index s = 0; s < next.rows(); ++s) {
      const Eigen::Vector3d y(2 * normal(random), 2 * normal(random), 2 * normal(random));
      const double effort = y.dot(truth) + all.per_row[0].rms * normal(random);
      next.row(s) << y.transpose(), effort;
      squares += std::pow(effort - y.dot(Eigen::Vector3d(all.values)), 2);
    }
    const ForecastRow found = forecast(std::vector<Fold>{fold_of(next)}, spread).per_row[0];
    held += std::sqrt(squares) <= found.upper;
    log_ratio += std::log(std::sqrt(squares) / found.expected) / kFits;
  }
  EXPECT_GE(held, 0.85 * kFits);
  EXPECT_LE(held, 0.97 * kFits);
  EXPECT_NEAR(log_ratio, 0, 0.3);  // within a factor of 1.35 in the mean
}

}  // namespace
}  // namespace forecast_test
}  // namespace steelyard
