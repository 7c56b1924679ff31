// Cross-validation from folds against refits on stacked rows.
#include "steelyard/estimate/cross_validation.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "estimate/estimate_cases.hpp"
#include "steelyard/core/error.hpp"

namespace steelyard {
namespace {

using namespace estimate_tests;

struct Blocks {
  std::vector<FoldBlock> folds;
  std::vector<std::vector<Rows>> core, gap;  // [block][kind]
};

Blocks make_blocks(Index count, std::uint64_t seed) {
  Random random(seed, "blocks");
  Blocks out;
  for (Index b = 0; b < count; ++b) {
    const auto kinds = [&](Index rows) {
      return std::vector<Rows>{make_rows("torque:one", {0, 1, 2, 3, 4}, rows, 0.1, random, "N*m", b),
                               make_rows("torque:two", {1, 3, 4}, rows, 1, random, "N", b)};
    };
    out.core.push_back(kinds(20 + b));
    out.gap.push_back(kinds(4));
    out.folds.push_back({b, 1, folds_of(out.core.back()), folds_of(out.gap.back())});
  }
  return out;
}

// Residuals of rows that a refit without them leaves, by kind.
std::vector<double> brute_force(const Blocks& blocks, const std::vector<int>& groups, int group_count) {
  std::vector<double> squares(2, 0);
  for (int left_out = 0; left_out < group_count; ++left_out) {
    std::vector<Rows> training, test;
    for (std::size_t b = 0; b < groups.size(); ++b) {
      const bool out = groups[b] == left_out;
      std::vector<Rows>& part = out ? test : training;
      part.insert(part.end(), blocks.core[b].begin(), blocks.core[b].end());
      const bool beside = b + 1 == groups.size() || (groups[b + 1] == left_out) == out;
      if (beside) part.insert(part.end(), blocks.gap[b].begin(), blocks.gap[b].end());
    }
    const Dense fit = dense(training, std::vector<double>(training.size(), 1));
    for (const Rows& rows : test)
      squares[rows.row == "torque:two"] += (rows.Y * fit.x - rows.tau).squaredNorm();
  }
  return {std::sqrt(squares[0]), std::sqrt(squares[1])};
}

TEST(CrossValidation, IsTheBruteForceRefit) {
  const Blocks blocks = make_blocks(12, 61);
  for (const std::vector<int>& groups :
       {groups_by_index(12, 4), groups_by_index(12, 12), groups_by_phase(12, 100, 400, 4)}) {
    const int count = 1 + *std::max_element(groups.begin(), groups.end());
    const CrossValidation found = cross_validate({blocks.folds}, {groups});
    EXPECT_EQ(found.groups, count);
    const std::vector<double> expected = brute_force(blocks, groups, count);
    EXPECT_NEAR(found.per_row[0].norm, expected[0], 1e-11 * expected[0]);
    EXPECT_NEAR(found.per_row[1].norm, expected[1], 1e-11 * expected[1]);
    ASSERT_EQ(found.totals.size(), 2U);
    // What is held out is predicted worse than what is fitted.
    std::vector<Fold> all;
    for (const FoldBlock& block : blocks.folds) {
      for (const Fold& fold : block.all()) all.push_back(fold);
    }
    EXPECT_GT(found.totals[0].rms, estimate(all).totals[0].rms);
  }
}

TEST(CrossValidation, OverTwoRunsLeavesGroupsOutOfBoth) {
  const Blocks one = make_blocks(4, 62), two = make_blocks(6, 63);
  const CrossValidation found = cross_validate({one.folds, two.folds}, {{0, 0, 0, 0}, {1, 1, 1, 1, 1, 1}});
  double squares = 0;
  const auto rows_of = [](const Blocks& run) {
    std::vector<Rows> rows;
    for (std::size_t b = 0; b < run.core.size(); ++b) {
      rows.insert(rows.end(), run.core[b].begin(), run.core[b].end());
      rows.insert(rows.end(), run.gap[b].begin(), run.gap[b].end());
    }
    return rows;
  };
  const std::vector<Rows> runs[2] = {rows_of(one), rows_of(two)};
  for (int k = 0; k < 2; ++k) {
    const Dense fit = dense(runs[1 - k], std::vector<double>(runs[1 - k].size(), 1));
    for (const Rows& rows : runs[k])
      squares += rows.row == "torque:one" ? (rows.Y * fit.x - rows.tau).squaredNorm() : 0;
  }
  EXPECT_NEAR(found.per_row[0].norm, std::sqrt(squares), 1e-11 * std::sqrt(squares));
}

TEST(CrossValidation, GroupsByPhasePutPeriodsOnTopOfEachOther) {
  EXPECT_EQ(groups_by_phase(8, 100, 400, 4), (std::vector<int>{0, 1, 2, 3, 0, 1, 2, 3}));
  EXPECT_EQ(groups_by_phase(6, 100, 400, 2), (std::vector<int>{0, 0, 1, 1, 0, 0}));
  EXPECT_EQ(groups_by_index(7, 3), (std::vector<int>{0, 0, 0, 1, 1, 2, 2}));
  EXPECT_EQ(groups_by_index(2, 10), (std::vector<int>{0, 1}));
}

TEST(CrossValidation, NonsenseIsRefused) {
  const Blocks blocks = make_blocks(3, 64);
  EXPECT_THROW(cross_validate({blocks.folds}, {{0, 0, 0}}), InputError);
  EXPECT_THROW(cross_validate({blocks.folds}, {{0, 1}}), InputError);
  EXPECT_THROW(cross_validate({blocks.folds}, {}), InputError);
  EXPECT_THROW(groups_by_index(5, 1), InputError);
  EXPECT_THROW(groups_by_phase(5, 100, 150, 5), InputError);
}

}  // namespace
}  // namespace steelyard
