// Least squares from folds against dense algebra; states; residuals.
#include "steelyard/estimate/estimate.hpp"

#include <gmock/gmock.h>

#include <Eigen/LU>
#include <Eigen/SVD>
#include <cmath>

#include "estimate/estimate_cases.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/core/linear_algebra.hpp"
#include "steelyard/estimate/condition.hpp"
#include "steelyard/fold/prior.hpp"

namespace steelyard {
namespace {

using namespace estimate_tests;

TEST(Estimate, OrdinaryLeastSquaresIsTheDenseSolution) {
  const std::vector<Rows> rows = three_kinds(100, 1);
  const Estimate found = estimate(folds_of(rows));
  const Dense expected = dense(rows, {1, 1, 1});
  EXPECT_EQ(found.status, EstimateStatus::solved);
  EXPECT_EQ(found.columns, kColumns);
  EXPECT_EQ(found.rank, 5);
  EXPECT_EQ(found.rows, 310);
  EXPECT_NEAR(found.degrees, 305, 1e-9);
  double squares = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    const Residual& residual = found.per_row[k];
    EXPECT_EQ(residual.row, rows[k].row);
    EXPECT_NEAR(residual.norm, expected.residual[k], 1e-12 * expected.residual[k]);
    EXPECT_NEAR(residual.effort, rows[k].tau.norm(), 1e-13 * rows[k].tau.norm());
    EXPECT_NEAR(residual.relative, expected.residual[k] / rows[k].tau.norm(), 1e-12);
    squares += expected.residual[k] * expected.residual[k];
  }
  const double variance = squares / 305;
  for (Index k = 0; k < 5; ++k) {
    const double sigma = std::sqrt(variance * expected.inverse(k, k));
    // Scaled condition about 2: errors of some roundings of the value's own size.
    EXPECT_NEAR(found.values[k], expected.x[k], 1e-13 * std::abs(expected.x[k]) + 1e-13 * sigma);
    EXPECT_NEAR(found.sigma[k], sigma, 1e-12 * sigma);
    EXPECT_NEAR(found.relative_sigma[k], sigma / std::abs(expected.x[k]), 1e-11);
    for (Index j = 0; j < 5; ++j) {
      EXPECT_NEAR(found.covariance(k, j), variance * expected.inverse(k, j),
                  1e-12 * found.sigma[k] * found.sigma[j]);
    }
  }
}

// What a column has that is zero but for cos(π/2) = 6e-17 of a robot's frames.
TEST(Estimate, AColumnOfRoundingErrorsIsZero) {
  std::vector<Rows> rows = three_kinds(100, 1);
  for (Rows& some : rows) some.Y.col(2) *= 1e-16;
  const Estimate found = estimate(folds_of(rows));
  EXPECT_EQ(found.status, EstimateStatus::deficient);
  EXPECT_EQ(found.column_status[2], ColumnStatus::zero);
  EXPECT_EQ(found.values[2], 0);
  EXPECT_TRUE(std::isinf(found.condition_scaled));
  // One that is only small is not.
  for (Rows& some : rows) some.Y.col(2) *= 1e6;
  EXPECT_EQ(estimate(folds_of(rows)).column_status[2], ColumnStatus::determined);
  // Nor are the others beside one that is large.
  for (Rows& some : rows) some.Y.col(2) *= 1e30;
  const Estimate large = estimate(folds_of(rows));
  EXPECT_EQ(large.status, EstimateStatus::solved);
}

TEST(Estimate, ConditionNumbersAreThoseOfTheStackedColumns) {
  const std::vector<Rows> rows = three_kinds(100, 2);
  const Estimate found = estimate(folds_of(rows));
  MatrixXd Y(310, 5);
  Y << rows[0].Y, rows[1].Y, rows[2].Y;
  const auto condition = [](const MatrixXd& A) {
    const VectorXd s = Eigen::JacobiSVD<MatrixXd>(A).singularValues();
    return s[0] / s[s.size() - 1];
  };
  EXPECT_NEAR(found.condition, condition(Y), 1e-9 * found.condition);
  EXPECT_NEAR(found.condition_scaled, condition(Y * Y.colwise().norm().cwiseInverse().asDiagonal()), 1e-11);
  EXPECT_GT(found.condition, 1000 * found.condition_scaled);  // the columns' sizes are 6000 apart
}

TEST(Estimate, FindsTheTruthInExactRows) {
  Random random(3, "exact");
  const std::vector<Rows> rows = {make_rows("torque:one", {0, 1, 2, 3, 4}, 50, 0, random)};
  for (const Weighting weighting : {Weighting::none, Weighting::by_row, Weighting::by_row_iterated}) {
    EstimateOptions options;
    options.weighting = weighting;
    const Estimate found = estimate(folds_of(rows), options);
    for (Index k = 0; k < 5; ++k)
      EXPECT_NEAR(found.values[k], truth()[k], 1e-12 * std::abs(truth()[k]) + 1e-14);
    EXPECT_LT(found.per_row[0].relative, 1e-14);
  }
}

TEST(Estimate, BlocksOfOneKindAreOneKind) {
  std::vector<Rows> rows = three_kinds(60, 4);
  const Estimate whole = estimate(folds_of(rows));
  std::vector<Fold> parts;
  for (const Rows& all : rows) {
    for (Index block = 0; block < 3; ++block) {
      Rows part = all;
      const Index first = block * all.Y.rows() / 3, end = (block + 1) * all.Y.rows() / 3;
      part.Y = all.Y.middleRows(first, end - first);
      part.tau = all.tau.segment(first, end - first);
      part.block = block;
      parts.push_back(part.fold());
    }
  }
  const Estimate found = estimate(parts);
  ASSERT_EQ(found.per_row.size(), 3U);
  EXPECT_LT((found.values - whole.values).cwiseQuotient(whole.sigma).cwiseAbs().maxCoeff(), 1e-11);
  EXPECT_EQ(found.rows, whole.rows);
}

TEST(Estimate, ReportsColumnsThatAreZeroOrDependent) {
  std::vector<Rows> rows = three_kinds(100, 5);
  for (Rows& part : rows) {
    part.Y.col(1).setZero();
    part.Y.col(2) = 4 * part.Y.col(4);  // c and e only as 4c + e
  }
  rows[1].used = {1, 2, 3, 4};
  const std::vector<Fold> folds = folds_of(rows);
  const Estimate found = estimate(folds);
  EXPECT_EQ(found.status, EstimateStatus::deficient);
  EXPECT_EQ(found.rank, 3);
  EXPECT_THAT(found.column_status,
              testing::ElementsAre(ColumnStatus::determined, ColumnStatus::zero, ColumnStatus::dependent,
                                   ColumnStatus::determined, ColumnStatus::dependent));
  EXPECT_TRUE(std::isinf(found.condition));
  EXPECT_TRUE(std::isinf(found.sigma[1]) && std::isinf(found.sigma[2]) && std::isinf(found.sigma[4]));
  EXPECT_EQ(found.values[1], 0.0);

  // The determined ones are as they are without the columns b and c.
  std::vector<Fold> reduced;
  for (const Fold& fold : folds) {
    std::vector<std::string> keep;
    for (const std::string& column : fold.layout().columns) {
      if (column != "b" && column != "c") keep.push_back(column);
    }
    reduced.push_back(select_columns(fold, keep));
  }
  const Estimate clear = estimate(reduced);
  EXPECT_EQ(clear.status, EstimateStatus::solved);
  for (const std::string name : {"a", "d"}) {
    const Index k = found.find(name), j = clear.find(name);
    EXPECT_NEAR(found.values[k], clear.values[j], 1e-11 * clear.sigma[j]);
    EXPECT_NEAR(found.sigma[k], clear.sigma[j], 1e-11 * clear.sigma[j]);
  }
  EXPECT_NEAR(4 * found.values[2] + found.values[4], clear.values[clear.find("e")], 1e-11);
  for (std::size_t k = 0; k < 3; ++k)
    EXPECT_NEAR(found.per_row[k].norm, clear.per_row[k].norm, 1e-11 * clear.per_row[k].norm);
}

TEST(Estimate, TotalsAreFormedPerUnit) {
  std::vector<Rows> rows = three_kinds(50, 6);
  rows[2].unit = "N";
  const Estimate found = estimate(folds_of(rows));
  ASSERT_EQ(found.totals.size(), 2U);
  EXPECT_EQ(found.totals[0].unit, "N*m");
  EXPECT_EQ(found.totals[0].rows, 120);
  EXPECT_NEAR(found.totals[0].norm, std::hypot(found.per_row[0].norm, found.per_row[1].norm), 1e-12);
  EXPECT_NEAR(found.totals[0].relative,
              found.totals[0].norm / std::hypot(found.per_row[0].effort, found.per_row[1].effort), 1e-14);
  EXPECT_EQ(found.totals[1].unit, "N");
  EXPECT_EQ(found.totals[1].norm, found.per_row[2].norm);
}

TEST(Estimate, AsManyParametersAsRowsLeaveNoDeviations) {
  Random random(7, "few");
  const std::vector<Rows> rows = {make_rows("torque:one", {0, 1, 2, 3, 4}, 5, 0.1, random)};
  const Estimate found = estimate(folds_of(rows));
  EXPECT_EQ(found.status, EstimateStatus::too_few_rows);
  EXPECT_EQ(found.rank, 5);
  EXPECT_TRUE(found.sigma.array().isNaN().all());
  EXPECT_LT((rows[0].Y * found.values - rows[0].tau).norm(), 1e-10 * rows[0].tau.norm());
}

TEST(Estimate, FewerRowsThanParametersAreDeficientNotWrong) {
  Random random(8, "fewer");
  const std::vector<Rows> rows = {make_rows("torque:one", {0, 1, 2, 3, 4}, 3, 0.1, random)};
  const Estimate found = estimate(folds_of(rows));
  EXPECT_EQ(found.status, EstimateStatus::too_few_rows);
  EXPECT_EQ(found.rank, 3);
  EXPECT_LT((rows[0].Y * found.values - rows[0].tau).norm(), 1e-10 * rows[0].tau.norm());
}

TEST(Estimate, APriorIsARidgeTowardsItsMean) {
  const std::vector<Rows> rows = three_kinds(40, 9);
  const VectorXd mean = (VectorXd(5) << 1, 0, 20, 0, 3).finished();
  const VectorXd sigma = (VectorXd(5) << 0.05, 1, 0.3, 1e-4, 2).finished();
  const std::vector<Fold> folds = folds_of(rows);
  const std::vector<Fold> priors = {prior(prior_layout(folds[0].layout()), mean, sigma)};
  const Estimate found = estimate(folds, {}, priors);
  oracle::LongMatrix gram = oracle::LongMatrix::Zero(5, 5);
  oracle::LongVector right = oracle::LongVector::Zero(5);
  for (const Rows& part : rows) {
    const oracle::LongMatrix Y = part.Y.cast<long double>();
    gram += Y.transpose() * Y;
    right += Y.transpose() * part.tau.cast<long double>();
  }
  for (Index k = 0; k < 5; ++k) {
    const long double weight = 1 / (static_cast<long double>(sigma[k]) * sigma[k]);
    gram(k, k) += weight;
    right[k] += weight * mean[k];
  }
  const VectorXd expected = gram.partialPivLu().solve(right).cast<double>();
  for (Index k = 0; k < 5; ++k)
    EXPECT_NEAR(found.values[k], expected[k], 1e-11 * std::abs(expected[k]) + 1e-14);
  // The prior's rows are no measurements, and take part of the parameters upon them.
  EXPECT_EQ(found.rows, 40 + 60 + 30);
  EXPECT_GT(found.degrees, found.rows - 5);
}

TEST(Estimate, APriorDeterminesWhatTheRowsDoNot) {
  Random random(10, "unseen");
  const std::vector<Fold> folds = {make_rows("torque:one", {0, 1, 4}, 50, 0.1, random).fold()};
  const Layout layout = prior_layout(layout_of("known", {"c", "d"}));
  const std::vector<Fold> priors = {known_value(layout, "c", 7, 0.5), known_value(layout, "d", -1, 0.1)};
  const Estimate found = estimate(folds, {}, priors);
  EXPECT_EQ(found.status, EstimateStatus::solved);
  EXPECT_NEAR(found.values[found.find("c")], 7, 1e-12);
  EXPECT_NEAR(found.values[found.find("d")], -1, 1e-12);
}

TEST(Estimate, NonsenseIsRefused) {
  const std::vector<Fold> nothing = {Fold(layout_of("torque:one", {"a"}))};
  EXPECT_THROW(estimate(nothing), InputError);
  EXPECT_THROW(estimate({}), InputError);
  Layout two = layout_of("torque:one", {"a"});
  two.efforts = {"torque", "current"};
  two.effort_units = {"N*m", "A"};
  EXPECT_THROW(estimate(std::vector<Fold>{fold_rows(two, MatrixXd::Ones(4, 3))}), InputError);
  Layout other = layout_of("torque:two", {"a"});
  other.efforts = {"current"};
  const std::vector<Fold> mixed = {fold_rows(layout_of("torque:one", {"a"}), MatrixXd::Ones(4, 2)),
                                   fold_rows(other, MatrixXd::Ones(4, 2))};
  EXPECT_THROW(estimate(mixed), InputError);
  EstimateOptions options;
  options.rank_tolerance = 0;
  EXPECT_THROW(estimate(folds_of(three_kinds(50, 1)), options), InputError);
}

TEST(Estimate, ResidualsOfGivenValuesAreTheDenseOnes) {
  const std::vector<Rows> rows = three_kinds(50, 11);
  const Residuals found = residuals(folds_of(rows), kColumns, truth());
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(found.per_row[k].norm, (rows[k].Y * truth() - rows[k].tau).norm(), 1e-11);
  }
  // Columns without a value count as zero.
  const Residuals nothing = residuals(folds_of(rows), {"a"}, VectorXd::Zero(1));
  EXPECT_NEAR(nothing.totals[0].relative, 1, 1e-14);
}

TEST(Conditioning, IsThatOfAllSingularValues) {
  Random random(13, "conditioning of all");
  for (const Index columns : {1, 2, 3, 17, 64}) {
    for (const double near : {1.0, 1e-6, 1e-11, 0.0}) {
      MatrixXd A(80, columns);
      for (Index i = 0; i < A.size(); ++i) A(i) = random.normal();
      if (columns > 1) A.col(columns - 1) = A.col(0) + near * A.col(columns - 1);
      const VectorXd values = singular_values(A);
      const SingularRange found = singular_range(A, 1e-9);
      // Errors of the values are rounding errors of the reflections.
      const double rounding = 1e-16 * static_cast<double>(columns) * values[0];
      EXPECT_NEAR(found.largest, values[0], 10 * rounding);
      EXPECT_NEAR(found.smallest, values[columns - 1], 10 * rounding);
      EXPECT_EQ(found.above, (values.array() > 1e-9 * values[0]).count());
      const SingularRange wide = singular_range(A.transpose(), 1e-9);
      EXPECT_NEAR(wide.largest, found.largest, 10 * rounding);
      EXPECT_EQ(wide.smallest, 0);
      EXPECT_EQ(wide.above, found.above);
    }
  }
  EXPECT_EQ(singular_range(MatrixXd::Zero(4, 3), 1e-9).above, 0);
  EXPECT_EQ(singular_range(MatrixXd::Zero(0, 3), 1e-9).largest, 0);
}

TEST(Conditioning, SeesThroughScales) {
  Random random(12, "conditioning");
  MatrixXd A(40, 3);
  for (Index i = 0; i < A.size(); ++i) A(i) = random.normal();
  A.col(1) *= 1e9;
  const Conditioning found = condition_of(A);
  EXPECT_EQ(found.rank, 3);
  EXPECT_GT(found.condition, 1e8);
  EXPECT_LT(found.condition_scaled, 5);
  A.col(2) = A.col(0) * 1e-7;
  EXPECT_EQ(condition_of(A).rank, 2);
  EXPECT_TRUE(std::isinf(condition_of(A).condition_scaled));
}

}  // namespace
}  // namespace steelyard
