// Essential parameters: elimination from the factor against elimination on stacked rows.
#include "steelyard/estimate/essential.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "estimate_cases.hpp"
#include "steelyard/core/error.hpp"

namespace steelyard {
namespace essential_test {

using estimate_tests::layout_of;

// Two row kinds over the same columns; some true values are zero or tiny.
struct Stacked {
  std::vector<std::string> names;
  VectorXd truth;
  std::vector<MatrixXd> Y;
  std::vector<VectorXd> tau;
  std::vector<double> noise = {0.1, 0.6};

  std::vector<Fold> folds() const {
    std::vector<Fold> out;
    for (std::size_t r = 0; r < Y.size(); ++r) {
      MatrixXd rows(Y[r].rows(), Y[r].cols() + 1);
      rows << Y[r], tau[r];
      out.push_back(fold_rows(layout_of("torque:" + std::to_string(r), names), rows));
    }
    return out;
  }
};

Stacked make_stacked(std::uint64_t seed) {
  Stacked out;
  out.truth.resize(12);
  out.truth << 3, 0, 1, 0, -2, 0.5, 0, 0.2, 0, 5, 0, 0.0005;
  for (Index k = 0; k < 12; ++k) out.names.push_back("p" + std::to_string(k));
  Random random(seed, "essential");
  for (std::size_t r = 0; r < 2; ++r) {
    MatrixXd Y(600, 12);
    for (Index k = 0; k < Y.size(); ++k) Y.data()[k] = random.normal();
    Y.col(3) += 0.9 * Y.col(0);
    VectorXd tau = Y * out.truth;
    for (Index s = 0; s < tau.size(); ++s) tau[s] += out.noise[r] * random.normal();
    out.Y.push_back(Y);
    out.tau.push_back(tau);
  }
  return out;
}

// The same on stacked rows in long double, a new decomposition every time.
std::vector<std::string> eliminate_dense(const Stacked& data, const std::vector<double>& weights,
                                         double limit) {
  std::vector<Index> left(data.names.size());
  for (std::size_t k = 0; k < left.size(); ++k) left[k] = static_cast<Index>(k);
  std::vector<std::string> gone;
  for (;;) {
    const Index rows = data.Y[0].rows();
    oracle::LongMatrix A(2 * rows, static_cast<Index>(left.size()));
    oracle::LongVector b(2 * rows);
    for (Index r = 0; r < 2; ++r) {
      const auto i = static_cast<std::size_t>(r);
      A.middleRows(r * rows, rows) = weights[i] * data.Y[i](Eigen::all, left).cast<long double>();
      b.segment(r * rows, rows) = weights[i] * data.tau[i].cast<long double>();
    }
    const oracle::LongVector x = oracle::long_double_solve(A, b);
    const oracle::LongMatrix R = oracle::long_double_r(A);
    const oracle::LongMatrix root =
        R.triangularView<Eigen::Upper>().solve(oracle::LongMatrix::Identity(A.cols(), A.cols()));
    const VectorXd relative = (root.rowwise().norm().array() / x.array().abs()).cast<double>();
    Index worst = 0;
    const double largest = relative.maxCoeff(&worst);
    if (largest <= limit * relative.minCoeff()) return gone;
    gone.push_back(data.names[static_cast<std::size_t>(left[static_cast<std::size_t>(worst)])]);
    left.erase(left.begin() + worst);
  }
}

EstimateOptions weighted() {
  EstimateOptions options;
  options.weighting = Weighting::by_row;
  return options;
}

TEST(Essential, LeaveInTheOrderOfEliminationOnStackedRows) {
  for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
    const Stacked data = make_stacked(seed);
    const std::vector<Fold> folds = data.folds();
    const Estimate full = estimate(folds, weighted());
    const Essential found = essential(folds, full, {20, {}});
    std::vector<std::string> names;
    for (const EliminatedColumn& e : found.eliminated) names.push_back(e.column);
    EXPECT_EQ(names, eliminate_dense(data, full.weights, 20)) << "seed " << seed;
  }
}

TEST(Essential, ThoseThatAreZeroInTruthLeaveAndTheLargeOnesStay) {
  const Stacked data = make_stacked(6);
  const std::vector<Fold> folds = data.folds();
  const Estimate full = estimate(folds, weighted());
  const Essential found = essential(folds, full, {60, {}});
  for (Index k = 0; k < data.truth.size(); ++k) {
    const std::string& name = data.names[static_cast<std::size_t>(k)];
    if (std::abs(data.truth[k]) >= 0.2) {
      EXPECT_FALSE(found.is_eliminated(name)) << name;
    } else {
      EXPECT_TRUE(found.is_eliminated(name)) << name;
      EXPECT_EQ(found.values[k], 0);
    }
  }
  EXPECT_LE(found.ratio, 60);
  EXPECT_EQ(found.columns.size() + found.eliminated.size(), data.names.size());
  // Six values that are noise carry about six of 1200 rows of the residual.
  EXPECT_GE(found.residual_weighted, found.residual_weighted_full);
  EXPECT_LT(found.growth, 0.02 * full.totals[0].relative);
}

TEST(Essential, ResidualsAreThoseOfTheReducedModelOnTheRows) {
  const Stacked data = make_stacked(7);
  const std::vector<Fold> folds = data.folds();
  const Estimate full = estimate(folds, weighted());
  const Essential found = essential(folds, full, {20, {}});
  double residual = 0, effort = 0;
  for (std::size_t r = 0; r < 2; ++r) {
    residual += (data.Y[r] * found.values - data.tau[r]).squaredNorm();
    effort += data.tau[r].squaredNorm();
  }
  EXPECT_NEAR(found.totals[0].relative, std::sqrt(residual / effort), 1e-12);
  EXPECT_NEAR(found.growth, std::sqrt(residual / effort) - full.totals[0].relative, 1e-12);
  const Estimate small = reduced(folds, full, found);
  EXPECT_EQ(small.values, found.values);
  EXPECT_EQ(small.sigma, full.sigma);
  for (std::size_t k = 0; k < data.names.size(); ++k)
    EXPECT_EQ(small.column_status[k] == ColumnStatus::eliminated, found.is_eliminated(data.names[k]));
  EXPECT_NEAR(small.totals[0].relative, found.totals[0].relative, 1e-15);
  EXPECT_EQ(small.per_row[1].sigma, full.per_row[1].sigma);
}

TEST(Essential, WhatIsToStayStays) {
  const Stacked data = make_stacked(8);
  const std::vector<Fold> folds = data.folds();
  const Estimate full = estimate(folds, weighted());
  ASSERT_TRUE(essential(folds, full, {20, {}}).is_eliminated("p6"));
  EXPECT_FALSE(essential(folds, full, {20, {"p6"}}).is_eliminated("p6"));
  EXPECT_THROW(essential(folds, full, {20, {"p99"}}), InputError);
  EXPECT_THROW(essential(folds, full, {0.5, {}}), InputError);
}

TEST(Essential, DependentColumnsLeaveUntilTheRestIsDetermined) {
  Stacked data = make_stacked(9);
  for (MatrixXd& Y : data.Y) {
    Y.col(6) = Y.col(9);  // only the sum of the two is known
    Y.col(8).setZero();   // nothing is known
  }
  const std::vector<Fold> folds = data.folds();
  const Estimate full = estimate(folds, weighted());
  ASSERT_EQ(full.status, EstimateStatus::deficient);
  const Essential found = essential(folds, full, {1e6, {}});
  ASSERT_EQ(found.eliminated.size(), 1u);
  EXPECT_TRUE(found.is_eliminated("p6") || found.is_eliminated("p9"));
  EXPECT_TRUE(std::isinf(found.eliminated[0].ratio));
  EXPECT_FALSE(found.is_eliminated("p8"));
  EXPECT_EQ(std::count(found.columns.begin(), found.columns.end(), "p8"), 0);
  EXPECT_NEAR(found.residual_weighted, found.residual_weighted_full, 1e-12);
}

TEST(Essential, InstrumentsThatAreTheColumnsGiveTheSame) {
  const Stacked data = make_stacked(10);
  std::vector<Fold> folds;
  for (std::size_t r = 0; r < 2; ++r) {
    std::vector<std::string> names = data.names;
    for (const std::string& name : data.names) names.push_back(instrument_name(name));
    MatrixXd rows(data.Y[r].rows(), 25);
    rows << data.Y[r], data.Y[r], data.tau[r];
    folds.push_back(fold_rows(layout_of("torque:" + std::to_string(r), names), rows));
  }
  const InstrumentEstimate iv = instrument_estimate(folds, weighted());
  const std::vector<Fold> plain = without_instruments(folds);
  const Essential by_iv = essential(folds, iv, {20, {}});
  const Essential by_ls = essential(plain, estimate(plain, weighted()), {20, {}});
  ASSERT_EQ(by_iv.columns, by_ls.columns);
  EXPECT_LT((by_iv.values - by_ls.values).norm(), 1e-10);
  EXPECT_NEAR(by_iv.growth, by_ls.growth, 1e-12);
}

}  // namespace essential_test
}  // namespace steelyard
