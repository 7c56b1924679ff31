// Instrumental variables against the dense formula, and against least squares where that is biased.
#include "steelyard/estimate/instrument.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>

#include "estimate_cases.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/fold/prior.hpp"

namespace steelyard {
namespace {

using estimate_tests::kColumns;
using estimate_tests::layout_of;
using estimate_tests::truth;

// Rows with instruments: Y and Z in all five columns, zero where not used.
struct IvRows {
  std::string row;
  std::vector<Index> used;
  MatrixXd Y, Z;
  VectorXd tau;

  Fold fold() const {
    std::vector<std::string> names;
    for (const Index k : used) names.push_back(kColumns[static_cast<std::size_t>(k)]);
    for (const Index k : used) names.push_back(instrument_name(kColumns[static_cast<std::size_t>(k)]));
    MatrixXd rows(Y.rows(), 2 * static_cast<Index>(used.size()) + 1);
    rows << Y(Eigen::all, used), Z(Eigen::all, used), tau;
    return fold_rows(layout_of(row, names), rows);
  }
};

struct NoiseLevels {
  double effort = 0.1;
  double columns = 0;      // of Y, as share of the column
  double instruments = 0;  // of Z, likewise and independent
};

// True columns X; Y = X + noise, Z = X + other noise, τ = X π + noise.
IvRows make_rows(const std::string& row, const std::vector<Index>& used, Index count, NoiseLevels noise,
                 Random& random) {
  const double scale[] = {1, 10, 0.05, 300, 1};
  IvRows out{row, used, MatrixXd::Zero(count, 5), MatrixXd::Zero(count, 5), VectorXd::Zero(count)};
  for (Index s = 0; s < count; ++s) {
    for (const Index k : used) {
      const double x = scale[k] * random.normal();
      out.tau[s] += x * truth()[k];
      out.Y(s, k) = x + noise.columns * scale[k] * random.normal();
      out.Z(s, k) = x + noise.instruments * scale[k] * random.normal();
    }
    out.tau[s] += noise.effort * random.normal();
  }
  return out;
}

std::vector<IvRows> two_kinds(Index count, NoiseLevels noise, std::uint64_t seed, std::uint64_t draw = 0) {
  Random random(seed, "instrument kinds", draw);
  NoiseLevels other = noise;
  other.effort *= 8;
  return {make_rows("torque:one", {0, 1, 2, 3, 4}, count, noise, random),
          make_rows("torque:two", {1, 3, 4}, count + 20, other, random)};
}

std::vector<Fold> folds_of(const std::vector<IvRows>& all) {
  std::vector<Fold> folds;
  for (const IvRows& rows : all) folds.push_back(rows.fold());
  return folds;
}

using LongMatrix = oracle::LongMatrix;
using LongVector = oracle::LongVector;

// Σ w² ZᵀY, Σ w² ZᵀZ, Σ w² Zᵀτ in long double.
struct Moments {
  LongMatrix ZY = LongMatrix::Zero(5, 5), ZZ = LongMatrix::Zero(5, 5);
  LongVector Zt = LongVector::Zero(5);

  void add(const MatrixXd& Y, const MatrixXd& Z, const VectorXd& tau, double weight) {
    const LongMatrix z = weight * weight * Z.cast<long double>();
    ZY += z.transpose() * Y.cast<long double>();
    ZZ += z.transpose() * Z.cast<long double>();
    Zt += z.transpose() * tau.cast<long double>();
  }
  VectorXd values() const { return ZY.fullPivLu().solve(Zt).cast<double>(); }
  MatrixXd covariance() const {
    const LongMatrix inverse = ZY.fullPivLu().inverse();
    return (inverse * ZZ * inverse.transpose()).cast<double>();
  }
};

TEST(Instrument, ColumnsThatAreTheirOwnInstrumentsGiveLeastSquares) {
  std::vector<IvRows> kinds = two_kinds(200, {}, 1);
  for (IvRows& rows : kinds) rows.Z = rows.Y;
  const std::vector<Fold> folds = folds_of(kinds);
  EstimateOptions options;
  options.weighting = Weighting::by_row_iterated;
  const InstrumentEstimate iv = instrument_estimate(folds, options);
  const Estimate ls = estimate(without_instruments(folds), options);
  ASSERT_EQ(iv.estimate.columns, ls.columns);
  // Both are backward stable on scaled columns with a condition of about 1.
  EXPECT_LT(((iv.estimate.values - ls.values).array() / ls.values.array()).abs().maxCoeff(), 1e-12);
  EXPECT_LT(((iv.estimate.sigma - ls.sigma).array() / ls.sigma.array()).abs().maxCoeff(), 1e-10);
  EXPECT_TRUE(std::isinf(iv.first_stage));
  EXPECT_FALSE(iv.weak);
  EXPECT_NEAR(iv.strength.minCoeff(), 1, 1e-12);
  EXPECT_EQ(iv.hausman_degrees, 0);
  EXPECT_EQ(iv.instruments, 5);
}

TEST(Instrument, ValuesAndCovarianceAreThoseOfTheDenseFormula) {
  const std::vector<IvRows> kinds = two_kinds(120, {0.1, 0.3, 0.4}, 2);
  EstimateOptions options;
  options.weighting = Weighting::by_row;
  const InstrumentEstimate iv = instrument_estimate(folds_of(kinds), options);
  Moments moments;
  double weighted = 0;
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    moments.add(kinds[k].Y, kinds[k].Z, kinds[k].tau, iv.estimate.weights[k]);
  }
  const VectorXd x = moments.values();
  EXPECT_LT(((iv.estimate.values - x).array() / x.array()).abs().maxCoeff(), 1e-11);
  for (std::size_t k = 0; k < kinds.size(); ++k)
    weighted += std::pow(iv.estimate.weights[k] * (kinds[k].Y * x - kinds[k].tau).norm(), 2);
  EXPECT_NEAR(iv.estimate.sigma_rows, std::sqrt(weighted / iv.estimate.degrees), 1e-10);
  const MatrixXd covariance = weighted / iv.estimate.degrees * moments.covariance();
  EXPECT_LT((iv.estimate.covariance - covariance).norm(), 1e-10 * covariance.norm());
}

TEST(Instrument, APriorIsItsOwnInstrument) {
  const std::vector<IvRows> kinds = two_kinds(60, {0.1, 0.3, 0.4}, 3);
  const VectorXd mean = truth() * 1.1, sigma = (VectorXd(5) << 1, kInfinity, 3, 0.01, kInfinity).finished();
  const Fold known = prior(layout_of("prior", kColumns), mean, sigma);
  const InstrumentEstimate iv = instrument_estimate(folds_of(kinds), {}, std::span(&known, 1));
  Moments moments;
  for (const IvRows& rows : kinds) moments.add(rows.Y, rows.Z, rows.tau, 1);
  for (const Index k : {Index{0}, Index{2}, Index{3}}) {
    const MatrixXd row = MatrixXd::Identity(5, 5).row(k) / sigma[k];
    moments.add(row, row, VectorXd::Constant(1, mean[k] / sigma[k]), 1);
  }
  const VectorXd x = moments.values();
  EXPECT_LT(((iv.estimate.values - x).array() / x.array()).abs().maxCoeff(), 1e-11);
}

// Noise of 30 % in the columns shrinks least squares by 1/(1 + 0.3²); independent noise in the instruments
// does not matter. 300 draws: the share of covered values has a standard deviation of 1.3 % around 95 %.
TEST(Instrument, CoverTheTruthWhereLeastSquaresIsBiased) {
  EstimateOptions options;
  options.weighting = Weighting::by_row;
  options.conditions = false;
  constexpr int kDraws = 300;
  VectorXd covered = VectorXd::Zero(5), covered_ls = VectorXd::Zero(5);
  int detected = 0;
  for (int draw = 0; draw < kDraws; ++draw) {
    const std::vector<Fold> folds =
        folds_of(two_kinds(400, {0.1, 0.3, 0.3}, 4, static_cast<std::uint64_t>(draw)));
    const InstrumentEstimate iv = instrument_estimate(folds, options);
    const Estimate ls = estimate(without_instruments(folds), options);
    detected += iv.least_squares_is_biased();
    for (Index k = 0; k < 5; ++k) {
      covered[k] += std::abs(iv.estimate.values[k] - truth()[k]) < 1.96 * iv.estimate.sigma[k];
      covered_ls[k] += std::abs(ls.values[k] - truth()[k]) < 1.96 * ls.sigma[k];
    }
  }
  EXPECT_GT(covered.minCoeff() / kDraws, 0.90);
  EXPECT_GT(covered.mean() / kDraws, 0.93);
  EXPECT_LT(covered_ls.minCoeff() / kDraws, 0.2);
  EXPECT_EQ(detected, kDraws);
}

// Without noise in Y both estimates are consistent: the statistic is χ² with five degrees, whose mean over
// 200 draws has a standard deviation of √(10/200) = 0.22.
TEST(Instrument, TheComparisonWithLeastSquaresIsChiSquaredWithoutBias) {
  EstimateOptions options;
  options.conditions = false;
  double sum = 0;
  int detected = 0;
  for (int draw = 0; draw < 200; ++draw) {
    Random random(5, "one kind", static_cast<std::uint64_t>(draw));
    const Fold fold = make_rows("torque:one", {0, 1, 2, 3, 4}, 400, {0.1, 0, 0.5}, random).fold();
    const InstrumentEstimate iv = instrument_estimate(std::span(&fold, 1), options);
    ASSERT_EQ(iv.hausman_degrees, 5);
    sum += iv.hausman;
    detected += iv.least_squares_is_biased();
  }
  EXPECT_NEAR(sum / 200, 5, 0.7);
  EXPECT_LT(detected, 10);  // 5 + 3 √10 = 14.5 is exceeded with probability 0.013
}

TEST(Instrument, UnrelatedColumnsAreWeakInstruments) {
  std::vector<IvRows> kinds = two_kinds(300, {}, 6);
  for (IvRows& rows : kinds) rows.Z.col(1).setRandom();
  const InstrumentEstimate iv = instrument_estimate(folds_of(kinds));
  EXPECT_TRUE(iv.weak);
  EXPECT_LT(iv.strength[1], 0.05);
  EXPECT_GT(iv.strength[2], 0.3);
  EXPECT_LT(iv.correlation, 0.25);
}

TEST(Instrument, EqualInstrumentsLeaveColumnsUndetermined) {
  std::vector<IvRows> kinds = two_kinds(100, {}, 7);
  for (IvRows& rows : kinds) rows.Z.col(3) = rows.Z.col(1);
  const InstrumentEstimate iv = instrument_estimate(folds_of(kinds));
  EXPECT_EQ(iv.instruments, 4);
  EXPECT_EQ(iv.estimate.rank, 4);
  EXPECT_EQ(iv.estimate.status, EstimateStatus::deficient);
  EXPECT_TRUE(std::isinf(iv.estimate.sigma[1]));
}

TEST(Instrument, AColumnWithoutInstrumentIsNamed) {
  const Fold fold = two_kinds(50, {}, 8)[0].fold();
  const std::vector<Fold> folds = {select_columns(fold, {"a", "b", "iv:a"})};
  try {
    instrument_estimate(folds);
    FAIL() << "a column without instrument was accepted";
  } catch (const InputError& error) {
    EXPECT_NE(error.complaint().what.find("'b'"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace steelyard
