// Forecasts against closed forms, and against what comes true in a population of fits.
#include "steelyard/validate/forecast.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>

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

struct Numbers {
  std::vector<double> x = {1, 4, 2, 8, 5, 7};
  double n = 6, mean = 4.5, variance = 7.5;
};
const Numbers kNumbers;

// Of the mean of n numbers: their variance over n, which the jackknife gives exactly.
TEST(Forecast, JackknifeOfAMeanIsItsStandardError) {
  const auto& [x, n, mean, variance] = kNumbers;
  std::vector<VectorXd> refits;
  for (const double value : x) refits.push_back(VectorXd::Constant(1, (n * mean - value) / (n - 1)));
  EXPECT_NEAR(jackknife(refits).squaredNorm(), variance / n, 1e-14);
  EXPECT_EQ(jackknife({}).size(), 0);
}

// Rows of a group with n rows in all; TTᵀ = (YᵀY)⁻¹.
GroupRows group_of(const MatrixXd& Y, const VectorXd& e, const MatrixXd& T) {
  const MatrixXd moved = Y * T;
  return {moved.transpose() * moved, moved.transpose() * e};
}

TEST(Forecast, InfluencesOnAMeanAreItsStandardError) {
  const auto& [x, n, mean, variance] = kNumbers;
  const MatrixXd T = MatrixXd::Constant(1, 1, 1 / std::sqrt(n));
  std::vector<GroupRows> groups;
  for (const double value : x)
    groups.push_back(group_of(MatrixXd::Ones(1, 1), VectorXd::Constant(1, value - mean), T));
  EXPECT_NEAR(influences(groups, T).squaredNorm(), variance / n, 1e-14);
}

// Independent rows of unit variance: the mean of Σ d dᵀ over all errors is (YᵀY)⁻¹. Errors are I − Y (YᵀY)⁻¹ Yᵀ in the
// mean; that of one group is summed over a square root of its block.
TEST(Forecast, InfluencesOfIndependentRowsAreTheCovarianceInTheMean) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  constexpr Index kGroups = 4, kRows = 7, kColumns = 3;
  const MatrixXd Y = MatrixXd::NullaryExpr(kGroups * kRows, kColumns, [&] { return normal(random); });
  const Eigen::MatrixXd information = Y.transpose() * Y;
  const Eigen::MatrixXd lower = information.llt().matrixL();
  const MatrixXd T = Eigen::MatrixXd(lower.transpose().inverse());
  const Eigen::MatrixXd errors =
      Eigen::MatrixXd::Identity(Y.rows(), Y.rows()) - Y * information.inverse() * Y.transpose();
  MatrixXd sum = MatrixXd::Zero(kColumns, kColumns);
  for (Index g = 0; g < kGroups; ++g) {
    const MatrixXd own = Y.middleRows(g * kRows, kRows);
    const Eigen::MatrixXd block = errors.block(g * kRows, g * kRows, kRows, kRows);
    const Eigen::MatrixXd root = block.llt().matrixL();
    for (Index k = 0; k < kRows; ++k) {
      const MatrixXd d = influences({group_of(own, root.col(k), T)}, T);
      sum += d * d.transpose();
    }
  }
  EXPECT_LT((sum - information.inverse()).norm(), 1e-12 * information.inverse().norm());
}

// The second column is in the rows of one group alone. A refit without it knows nothing; its influence is what the group's
// other rows say.
TEST(Forecast, WhatOneGroupAloneShowsDoesNotExplode) {
  MatrixXd first(2, 2), second(3, 2);
  first << 1, 0, 2, 0;
  second << 1, 1, 0, 1, 1, 2;
  const Eigen::MatrixXd information = first.transpose() * first + second.transpose() * second;
  const MatrixXd T = Eigen::MatrixXd(Eigen::MatrixXd(information.llt().matrixL()).transpose().inverse());
  MatrixXd Y(5, 2);
  Y << first, second;
  VectorXd tau(5);
  tau << 1, 1, -1, 0.5, 2;
  const VectorXd e = tau - Y * (information.inverse() * Y.transpose() * tau);
  const MatrixXd d = influences({group_of(first, e.head(2), T), group_of(second, e.tail(3), T)}, T);
  EXPECT_TRUE(d.allFinite());
  EXPECT_LT(d.norm(), e.norm());
}

TEST(Forecast, AddsNoiseAndSpreadOverTheRowsOfTheMotion) {
  ParameterSpread spread;
  spread.columns = {"b", "a"};  // in another order than the rows; c is known
  spread.scatter = MatrixXd::Zero(2, 2);
  spread.scatter << 0.3, 0, 0, 0.2;
  spread.expected = MatrixXd::Zero(2, 1);
  spread.expected(1, 0) = 0.1;
  spread.changes = MatrixXd::Zero(2, 1);
  spread.changes(0, 0) = 0.05;
  spread.noise = {{"torque:j", 0.5}};
  MatrixXd rows(3, 4);
  rows << 1, 2, 3, 4, 0, 1, 0, 1, 2, 0, 7, 9;
  const Forecast found = forecast(std::vector<Fold>{fold_of(rows)}, spread);
  ASSERT_EQ(found.per_row.size(), 1u);
  // Scatter twice: the other motion has errors of its own.
  const double squares_a = 1 + 4, squares_b = 4 + 1;
  const double squares = 3 * 0.25 + 2 * 0.09 * squares_b + (2 * 0.04 + 0.01) * squares_a + 0.0025 * squares_b;
  EXPECT_NEAR(found.per_row[0].mean, std::sqrt(squares), 1e-12);
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

// 400 fits of 12 blocks with errors that the rows of a block share; the next motion excites what the log did not excite
// much, and has errors of the same kind, in half of the fits twice as large. The bound is meant to hold in 90 %.
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
    const Eigen::MatrixXd root = all.factor.columns().topRows(3);
    const MatrixXd T = root.inverse();
    std::vector<GroupRows> groups;
    for (const Fold& block : blocks)
      groups.push_back(group_of(block.columns(), block.efforts().col(0) - block.columns() * all.values, T));
    ParameterSpread spread;
    spread.columns = all.columns;
    spread.scatter = influences(groups, T);
    spread.noise = {{"torque:j", all.per_row[0].rms}};
    MatrixXd next(200, 4);
    double squares = 0, shared = 0;
    const double errors = k % 2 == 0 ? 1 : 2;  // over those of the log
    for (Index s = 0; s < next.rows(); ++s) {
      if (s % kRows == 0) shared = 0.5 * normal(random);
      const Eigen::Vector3d y(errors * normal(random), 2 * normal(random), 2 * normal(random));
      const double effort = y.dot(truth) + shared * y[0] + 0.1 * normal(random);
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
