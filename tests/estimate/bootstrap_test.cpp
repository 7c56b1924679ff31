// Moments of blocks, and the spread they give, against the estimates they come from and repeated experiments.
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <cmath>

#include "estimate/estimate_cases.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/estimate/bootstrap.hpp"

namespace steelyard {
namespace {

using namespace estimate_tests;

// Three row kinds in `blocks` blocks; the noise of a block's rows has a common part of standard deviation
// `common` times that of its own.
std::vector<Rows> blocked_rows(Index blocks, Index count, double common, std::uint64_t seed,
                               std::uint64_t noise_seed) {
  std::vector<Rows> all;
  for (Index b = 0; b < blocks; ++b) {
    Random random(seed, "rows of blocks", static_cast<std::uint64_t>(b));
    Random noise(noise_seed, "noise of blocks", static_cast<std::uint64_t>(b));
    all.push_back(make_rows("torque:one", {0, 1, 2, 3, 4}, count, 0, random, "N*m", b));
    all.push_back(make_rows("torque:two", {1, 3, 4}, count, 0, random, "N*m", b));
    const double shared = common * noise.normal();
    const double deviation[] = {0.1, 1.0};
    for (std::size_t k = 0; k < 2; ++k)
      for (double& tau : all[all.size() - 2 + k].tau) tau += deviation[k] * (noise.normal() + shared);
  }
  return all;
}

TEST(BlockMoments, AddUpToTheIdentityAndScoresToNothing) {
  const std::vector<Fold> folds = folds_of(blocked_rows(12, 8, 0.3, 5, 6));
  for (const Weighting weighting : {Weighting::none, Weighting::by_row, Weighting::by_row_and_block}) {
    EstimateOptions options;
    options.weighting = weighting;
    const BlockMoments moments = block_moments(folds, estimate(folds, options));
    ASSERT_EQ(moments.blocks(), 12);
    MatrixXd A = moments.prior;
    VectorXd g = VectorXd::Zero(5);
    double scale = 0;
    for (std::size_t k = 0; k < moments.A.size(); ++k) {
      A += moments.A[k];
      g += moments.g[k];
      scale += moments.g[k].norm();
    }
    // Rounding: a few ε times the scaled condition, which is about 3.
    EXPECT_LT((A - MatrixXd::Identity(5, 5)).norm(), 1e-13) << to_string(weighting);
    EXPECT_LT(g.norm(), 1e-12 * scale) << to_string(weighting);
  }
}

TEST(BlockMoments, ChangedWeightsOfBlocksGiveTheEstimateOfTheReweightedRows) {
  std::vector<Rows> rows = blocked_rows(6, 10, 0, 7, 8);
  const std::vector<Fold> folds = folds_of(rows);
  const Estimate fit = estimate(folds);
  const BlockMoments moments = block_moments(folds, fit);
  std::vector<double> weights;
  MatrixXd A = MatrixXd::Zero(5, 5);
  VectorXd g = VectorXd::Zero(5);
  for (std::size_t k = 0; k < moments.A.size(); ++k) {
    const double m = 0.5 + 0.3 * static_cast<double>(k);
    A += m * moments.A[k];
    g += m * moments.g[k];
    weights.insert(weights.end(), 2, std::sqrt(m));
  }
  const VectorXd moved = fit.values + moments.root * A.ldlt().solve(g);
  const VectorXd expected = dense(rows, weights).x;
  for (Index i = 0; i < 5; ++i) EXPECT_NEAR(moved[i], expected[i], 1e-11 * std::abs(expected[i])) << i;
}

TEST(BlockMoments, OfInstrumentsThatAreTheColumnsAreThoseOfLeastSquares) {
  const std::vector<Rows> rows = blocked_rows(8, 10, 0, 9, 10);
  const std::vector<Fold> folds = folds_of(rows);
  std::vector<Fold> doubled;
  for (const Fold& fold : folds) {
    const auto n = static_cast<Index>(fold.layout().columns.size());
    Layout layout = fold.layout();
    for (Index k = 0; k < n; ++k)
      layout.columns.push_back(instrument_name(layout.columns[static_cast<std::size_t>(k)]));
    MatrixXd C = MatrixXd::Zero(n + 1, 2 * n + 1);
    C.topLeftCorner(n, n).setIdentity();
    C.block(0, n, n, n).setIdentity();
    C(n, 2 * n) = 1;
    doubled.push_back(combine_columns(fold, C, layout));
    doubled.back().set_block(fold.block());
  }
  const Bootstrap plain = bootstrap(block_moments(folds, estimate(folds)));
  const Bootstrap by_z = bootstrap(block_moments(doubled, instrument_estimate(doubled)));
  for (Index i = 0; i < 5; ++i) EXPECT_NEAR(by_z.sigma[i], plain.sigma[i], 1e-8 * plain.sigma[i]) << i;
}

TEST(Bootstrap, IsTheSameForAnyNumberOfThreads) {
  const std::vector<Fold> folds = folds_of(blocked_rows(20, 6, 0.5, 11, 12));
  const BlockMoments moments = block_moments(folds, estimate(folds));
  BootstrapOptions options;
  const Bootstrap one = bootstrap(moments, options);
  for (int threads : {2, 4}) {
    options.threads = threads;
    EXPECT_EQ(bootstrap(moments, options).replicates, one.replicates) << threads;
  }
  options.seed = 2;
  EXPECT_NE(bootstrap(moments, options).replicates, one.replicates);
}

// Standard deviation over repeated noise against the mean claim, for noise that blocks share inside.
TEST(Bootstrap, HasTheSpreadOfRepeatedExperimentsWhateverTheNoiseInsideBlocks) {
  constexpr int kRepeats = 600;
  EstimateOptions weighted;
  weighted.weighting = Weighting::by_row;
  weighted.conditions = false;
  for (const double common : {0.0, 1.0}) {
    for (const Index blocks : {8, 40}) {
      SCOPED_TRACE(testing::Message() << "common " << common << ", blocks " << blocks);
      VectorXd square = VectorXd::Zero(5), claimed = square;
      for (std::uint64_t r = 0; r < kRepeats; ++r) {
        const std::vector<Fold> folds = folds_of(blocked_rows(blocks, 6, common, 13, 100 + r));
        const Estimate fit = estimate(folds, weighted);
        BootstrapOptions options;
        options.replicates = 100;
        options.seed = r;
        const Bootstrap spread = bootstrap(block_moments(folds, fit), options);
        square += (fit.values - truth()).cwiseAbs2() / kRepeats;
        claimed += spread.sigma.cwiseAbs2() / kRepeats;
      }
      // A variance from 600 draws is known to 6 %: three standard deviations and what few blocks cost.
      for (Index i = 0; i < 5; ++i) EXPECT_NEAR(claimed[i] / square[i], 1, 0.25) << i;
    }
  }
}

TEST(Bootstrap, RefusesTwoBlocksAndNoReplicates) {
  const std::vector<Fold> folds = folds_of(blocked_rows(2, 20, 0, 15, 16));
  const BlockMoments moments = block_moments(folds, estimate(folds));
  EXPECT_THROW(bootstrap(moments), InputError);
  BootstrapOptions options;
  options.replicates = 0;
  EXPECT_THROW(options.validate(), InputError);
}

}  // namespace
}  // namespace steelyard
