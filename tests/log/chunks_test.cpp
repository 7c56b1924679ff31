#include "steelyard/log/chunks.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "steelyard/core/error.hpp"
#include "steelyard/core/random.hpp"

namespace steelyard {
namespace {

using testing::ElementsAre;

TEST(ChunkPlan, CoresCoverTheRunOnceAndHalosEndWithIt) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed, "chunks");
    const ChunkPlan plan =
        plan_chunks(1 + static_cast<Index>(random.below(500)), 1 + static_cast<Index>(random.below(100)),
                    static_cast<Index>(random.below(100)));
    Index covered = 0;
    for (Index k = 0; k < plan.count(); ++k) {
      const Chunk chunk = plan.chunk(k);
      EXPECT_EQ(chunk.index, k);
      EXPECT_EQ(chunk.core.begin, covered);
      EXPECT_EQ(chunk.core.begin, k * plan.size);
      EXPECT_EQ(chunk.halo.begin, std::max<Index>(0, chunk.core.begin - plan.halo));
      EXPECT_EQ(chunk.halo.end, std::min(plan.samples, chunk.core.end + plan.halo));
      EXPECT_EQ(chunk.ends.begin, chunk.halo.begin == 0);
      EXPECT_EQ(chunk.ends.end, chunk.halo.end == plan.samples);
      covered = chunk.core.end;
    }
    EXPECT_EQ(covered, plan.samples);
  }
}

TEST(ChunkPlan, RefusesEmptyRunsAndChunks) {
  EXPECT_THROW(plan_chunks(0, 10, 0), InputError);
  EXPECT_THROW(plan_chunks(10, 0, 0), InputError);
  EXPECT_THROW(plan_chunks(10, 1, -1), InputError);
}

// The promise of halos: chunk by chunk gives the filtered run.
TEST(ChunkPlan, ChunkedFilteringIsWholeRunFiltering) {
  const Index samples = 20011, columns = 5;
  std::vector<double> run;
  Random random(1, "run");
  for (Index c = 0; c < columns; ++c) {
    double value = 10 * random.normal();
    for (Index i = 0; i < samples; ++i) run.push_back(value += 0.05 * random.normal());
  }
  double scale = 0;
  for (const double value : run) scale = std::max(scale, std::abs(value));
  for (const auto& [order, cutoff] : {std::pair{4, 5.0}, {1, 2.0}, {2, 100.0}, {8, 20.0}}) {
    const LowPass filter = design_low_pass(order, cutoff, 1000);
    std::vector<double> whole = run;
    filter_zero_phase(filter, whole.data(), samples, columns, samples);
    for (const Index size : {777, 4096, 16384}) {
      const ChunkPlan plan = plan_chunks(samples, size, filter.halo);
      double worst = 0;
      for (Index k = 0; k < plan.count(); ++k) {
        const Chunk chunk = plan.chunk(k);
        const Index width = chunk.halo.size();
        std::vector<double> window;
        for (Index c = 0; c < columns; ++c) {
          const auto from = run.begin() + c * samples + chunk.halo.begin;
          window.insert(window.end(), from, from + width);
        }
        filter_zero_phase(filter, window.data(), width, columns, width, chunk.ends);
        for (Index c = 0; c < columns; ++c) {
          for (Index i = chunk.core.begin; i < chunk.core.end; ++i) {
            worst =
                std::max(worst, std::abs(window[c * width + i - chunk.halo.begin] - whole[c * samples + i]));
          }
        }
      }
      EXPECT_LE(worst, 1e-12 * scale) << fmt::format("order {}, {} Hz, chunks of {}", order, cutoff, size);
    }
  }
}

TEST(Decimation, KeepsThePhaseOfTheRunInEveryChunk) {
  const Decimation rows{3, 1, 2, 20};
  EXPECT_THAT(rows.kept({0, 20}), ElementsAre(3, 6, 9, 12, 15));
  EXPECT_EQ(rows.count(), 5);
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed, "decimation");
    Decimation any;
    any.samples = 1 + static_cast<Index>(random.below(300));
    any.factor = 1 + static_cast<Index>(random.below(20));
    any.phase = static_cast<Index>(random.below(static_cast<std::uint64_t>(any.factor)));
    any.trim = static_cast<Index>(random.below(40));
    const ChunkPlan plan = plan_chunks(any.samples, 1 + static_cast<Index>(random.below(60)), 0);
    std::vector<Index> joined;
    for (Index k = 0; k < plan.count(); ++k) {
      const auto part = any.kept(plan.chunk(k).core);
      joined.insert(joined.end(), part.begin(), part.end());
    }
    std::vector<Index> expected;
    for (Index i = any.trim; i < any.samples - any.trim; ++i) {
      if ((i - any.trim) % any.factor == any.phase) expected.push_back(i);
    }
    EXPECT_EQ(joined, expected);
    EXPECT_EQ(any.count(), static_cast<Index>(expected.size()));
  }
}

TEST(Decimation, AutomaticFactorPutsTheCutOffBelowTheNewNyquistFrequency) {
  EXPECT_EQ(automatic_decimation(5, 1000), 80);
  EXPECT_EQ(automatic_decimation(100, 5000), 20);
  EXPECT_EQ(automatic_decimation(400, 1000), 1);
}

TEST(Rejection, KeepsWhatMovesAtLeastAsFastAsTheLimit) {
  const double velocity[] = {0, 0.1, -0.1, 0.05, -9, /* joint 2 */ 1, -1, 0, 2, 3};
  std::uint8_t mask[10];
  const auto kept = reject_slow(velocity, 5, 5, (VectorXd(2) << 0.1, 0).finished(), mask, 5);
  EXPECT_THAT(kept, ElementsAre(3, 5));
  EXPECT_THAT(mask, ElementsAre(0, 1, 1, 0, 1, 1, 1, 1, 1, 1));
}

}  // namespace
}  // namespace steelyard
