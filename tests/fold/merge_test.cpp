// Folding in pieces and merging in any grouping is folding all at once.
#include <gtest/gtest.h>

#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "fold/fold_cases.hpp"
#include "steelyard/fold/fold.hpp"

namespace steelyard {
namespace {

using fold_tests::expect_factor_of;
using fold_tests::layout_of;
using fold_tests::random_rows;

class FoldMerge : public fold_tests::EachIsa {};
INSTANTIATE_TEST_SUITE_P(Isa, FoldMerge, fold_tests::every_isa(), fold_tests::isa_name);

// Rows cut at random places, pieces folded and merged in random pairs until one is left.
Fold fold_in_random_groups(const Layout& layout, const MatrixXd& A, Random& random) {
  std::vector<Fold> folds;
  for (Index first = 0; first < A.rows();) {
    const Index count = std::min<Index>(A.rows() - first, static_cast<Index>(random.below(120)));
    folds.push_back(fold_rows(layout, A.middleRows(first, count)));
    first += count;
  }
  while (folds.size() > 1) {
    const std::size_t i = random.below(folds.size());
    std::swap(folds[i], folds.back());
    const Fold taken = std::move(folds.back());
    folds.pop_back();
    folds[random.below(folds.size())].merge(taken);
  }
  return folds.front();
}

TEST_P(FoldMerge, EqualsTheBatchInFiftyRandomGroupings) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed, "groupings");
    const auto columns = static_cast<int>(2 + random.below(40));
    const Index rows = columns + 20 + static_cast<Index>(random.below(900));
    MatrixXd A = random_rows(rows, columns + 1, random);
    for (Index k = 0; k <= columns; ++k) A.col(k) *= std::pow(10, random.uniform(-8, 8));
    const Fold fold = fold_in_random_groups(layout_of(columns), A, random);
    EXPECT_EQ(fold.rows(), rows);
    // Roundings of sums over rows, of `columns` reflections, and the condition of the scaled columns: up to
    // (1 + √(c/r)) / (1 − √(c/r)) for Gaussian rows, 1.5 to 15 here.
    const double ratio = std::sqrt(static_cast<double>(columns + 1) / static_cast<double>(rows));
    expect_factor_of(A, fold.R(), 10 * std::sqrt(rows) * (1 + ratio) / (1 - ratio));
  }
}

TEST_P(FoldMerge, OfTrapezoidsIsTheFactorOfAllRows) {
  Random random(7, "trapezoids");
  for (const int first : {1, 5, 19, 20}) {
    for (const int second : {1, 5, 15, 16, 19, 40}) {
      const MatrixXd A = random_rows(first, 20, random), B = random_rows(second, 20, random);
      MatrixXd both(first + second, 20);
      both << A, B;
      Fold fold = fold_rows(layout_of(19), A);
      fold.merge(fold_rows(layout_of(19), B));
      EXPECT_EQ(fold.depth(), std::min(20, first + second));
      const Eigen::JacobiSVD<MatrixXd> svd(both.leftCols(std::min<Index>(20, both.rows())));
      const VectorXd& s = svd.singularValues();
      expect_factor_of(both, fold.R(), 20 * s[0] / s[s.size() - 1]);
    }
  }
}

TEST(FoldBytes, AreTheSameForTheTwoWideInstructionSets) {
  if (!is_available(IsaLevel::avx512)) GTEST_SKIP() << "this processor has no avx512";
  const IsaLevel before = isa_level();
  Random random(3, "bytes");
  for (const int columns : {5, 23, 46}) {
    const MatrixXd A = random_rows(777, columns + 1, random), B = random_rows(50, columns + 1, random);
    MatrixXd R[3];
    for (const IsaLevel level : {IsaLevel::baseline, IsaLevel::avx2, IsaLevel::avx512}) {
      set_isa_level(level);
      Fold fold = fold_rows(layout_of(columns), A);
      fold.merge(fold_rows(layout_of(columns), B));
      R[static_cast<int>(level)] = fold.R();
    }
    set_isa_level(before);
    EXPECT_EQ(std::memcmp(R[1].data(), R[2].data(), sizeof(double) * static_cast<std::size_t>(R[1].size())),
              0);
    EXPECT_LT((R[0] - R[2]).cwiseAbs().maxCoeff(), 1e-13 * R[2].cwiseAbs().maxCoeff());
  }
}

}  // namespace
}  // namespace steelyard
