// Slots and blocks: flat memory, fixed tree, same bytes for any number of threads.
#include "steelyard/fold/fold_set.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "fold/fold_cases.hpp"
#include "steelyard/core/error.hpp"

namespace steelyard {
namespace {

using fold_tests::expect_factor_of;
using fold_tests::layout_of;
using fold_tests::random_rows;

constexpr int kColumns[] = {3, 6};

std::vector<Layout> two_rows() {
  return {layout_of(3, 1, "torque:one"), layout_of(6, 1, "torque:two")};
}

// Rows of slot k, always the same.
MatrixXd rows_of(Index slot, std::size_t row, bool gap) {
  Random random(11, gap ? "gap" : "core", static_cast<std::uint64_t>(2 * slot) + row);
  return random_rows(gap ? 2 : 5 + slot % 4, kColumns[row] + 1, random);
}

FoldSlot slot_of(const FoldSet& set, Index k) {
  FoldSlot slot{set.empty_folds(), set.empty_folds()};
  for (std::size_t r = 0; r < 2; ++r) {
    slot.core[r].add(rows_of(k, r, false));
    slot.gap[r].add(rows_of(k, r, true));
  }
  return slot;
}

MatrixXd stacked(const std::vector<MatrixXd>& parts) {
  Index rows = 0;
  for (const MatrixXd& part : parts) rows += part.rows();
  MatrixXd all(rows, parts.front().cols());
  Index first = 0;
  for (const MatrixXd& part : parts) {
    all.middleRows(first, part.rows()) = part;
    first += part.rows();
  }
  return all;
}

TEST(FoldSet, BlocksAreRunsOfSlotsAndNeverTooMany) {
  for (const Index count : {1, 2, 7, 8, 9, 15, 16, 17, 100}) {
    FoldSet set(two_rows(), 8);
    for (Index k = 0; k < count; ++k) set.append(slot_of(set, k));
    const std::vector<FoldBlock> blocks = set.blocks();
    const Index size = set.slots_per_block();
    EXPECT_LE(blocks.size(), 8U);
    EXPECT_EQ(static_cast<Index>(blocks.size()), (count + size - 1) / size);
    EXPECT_TRUE(size == 1 || (count + size / 2 - 1) / (size / 2) > 8) << "a finer cut would have done";
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      const Index first = static_cast<Index>(b) * size, end = std::min(count, first + size);
      EXPECT_EQ(blocks[b].first_slot, first);
      EXPECT_EQ(blocks[b].slots, end - first);
      for (std::size_t r = 0; r < 2; ++r) {
        std::vector<MatrixXd> core;
        for (Index k = first; k < end; ++k) {
          core.push_back(rows_of(k, r, false));
          if (k + 1 < end) core.push_back(rows_of(k, r, true));
        }
        EXPECT_EQ(blocks[b].core[r].block(), static_cast<Index>(b));
        expect_factor_of(stacked(core), blocks[b].core[r].R(), 2000);
        expect_factor_of(rows_of(end - 1, r, true), blocks[b].gap[r].R(), 40);
      }
    }
  }
}

TEST(FoldSet, TheTotalHoldsEveryRow) {
  FoldSet set(two_rows(), 4);
  std::vector<MatrixXd> all[2];
  for (Index k = 0; k < 37; ++k) {
    set.append(slot_of(set, k));
    for (std::size_t r = 0; r < 2; ++r) {
      all[r].push_back(rows_of(k, r, false));
      all[r].push_back(rows_of(k, r, true));
    }
  }
  const std::vector<Fold> total = set.total();
  for (std::size_t r = 0; r < 2; ++r) {
    const MatrixXd rows = stacked(all[r]);
    EXPECT_EQ(total[r].rows(), rows.rows());
    expect_factor_of(rows, total[r].R(), 400);
  }
}

TEST(FoldSet, ThreadsDoNotChangeABit) {
  std::vector<MatrixXd> reference;
  for (const int threads : {1, 2, 4}) {
    FoldSet set(two_rows(), 16);
    append_slots(set, 77, threads, [&](Index k) { return slot_of(set, k); });
    std::vector<MatrixXd> found;
    for (const FoldBlock& block : set.blocks()) {
      for (const Fold& fold : block.core) found.push_back(fold.R());
      for (const Fold& fold : block.gap) found.push_back(fold.R());
    }
    for (const Fold& fold : set.total()) found.push_back(fold.R());
    if (reference.empty()) reference = found;
    ASSERT_EQ(found.size(), reference.size());
    for (std::size_t k = 0; k < found.size(); ++k) {
      ASSERT_EQ(found[k].size(), reference[k].size());
      EXPECT_EQ(std::memcmp(found[k].data(), reference[k].data(),
                            sizeof(double) * static_cast<std::size_t>(found[k].size())),
                0);
    }
  }
}

TEST(FoldSet, AnEmptySetHasEmptyTotals) {
  const FoldSet set(two_rows());
  EXPECT_TRUE(set.blocks().empty());
  EXPECT_EQ(set.total().size(), 2U);
  EXPECT_EQ(set.total()[1].rows(), 0);
}

TEST(FoldSet, SlotsOfOtherLayoutsAreRefused) {
  FoldSet set(two_rows());
  FoldSlot slot{{Fold(layout_of(3)), Fold(layout_of(6))}, {}};
  EXPECT_THROW(set.append(slot), InputError);
  EXPECT_THROW(FoldSet(two_rows(), 7), InputError);
}

}  // namespace
}  // namespace steelyard
