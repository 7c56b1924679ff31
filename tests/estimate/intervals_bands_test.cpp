// Prediction bands from counted errors.
#include <gtest/gtest.h>

#include <cmath>

#include "steelyard/core/error.hpp"
#include "steelyard/core/random.hpp"
#include "steelyard/estimate/bands.hpp"

namespace steelyard {
namespace {

TEST(ErrorCounts, GiveQuantilesOfTheNormalDistributionToTheWidthOfABin) {
  ErrorCounts counts;
  Random random(1, "errors");
  for (int k = 0; k < 200000; ++k) counts.add(0.3 * random.normal());
  // 200 000 draws know the quantile to 0.4 %, a bin is 1.6 % at most.
  EXPECT_NEAR(counts.quantile(0.95), 0.3 * 1.95996, 0.02 * 0.3 * 1.95996);
  EXPECT_NEAR(counts.share_within(0.3 * 1.95996), 0.95, 0.003);
  EXPECT_EQ(counts.total(), 200000);
}

TEST(ErrorCounts, TakeZeroAndSizesOfAnyKind) {
  ErrorCounts counts;
  for (const double error : {0.0, 0.0, 1e-300, -1e300}) counts.add(error);
  EXPECT_EQ(counts.quantile(0.5), 0);
  EXPECT_GE(counts.quantile(0.75), 1e-300);
  EXPECT_LT(counts.quantile(0.75), 1.02e-300);
  EXPECT_GE(counts.quantile(1), 1e300);
  EXPECT_EQ(counts.share_within(1), 0.75);
}

TEST(ErrorCounts, AddUp) {
  ErrorCounts all, left, right;
  Random random(2, "halves");
  for (int k = 0; k < 1000; ++k) {
    const double error = random.normal();
    all.add(error);
    (k % 3 == 0 ? left : right).add(error);
  }
  left.add(right);
  EXPECT_EQ(left.total(), all.total());
  for (const double share : {0.1, 0.5, 0.95}) EXPECT_EQ(left.quantile(share), all.quantile(share));
}

TEST(Band, CoversHeldOutGroupsAsOftenAsItSays) {
  std::vector<ErrorCounts> groups(10);
  Random random(3, "groups");
  for (ErrorCounts& group : groups)
    for (int k = 0; k < 2000; ++k) group.add(random.normal());
  const Band band = calibrate_band(groups);
  EXPECT_NEAR(band.half_width, 1.96, 0.05);
  EXPECT_NEAR(band.coverage, 0.95, 0.01);
  EXPECT_EQ(band.samples, 20000);
}

TEST(Band, TellsWhenOneGroupIsUnlikeTheOthers) {
  std::vector<ErrorCounts> groups(4);
  Random random(4, "one bad group");
  for (std::size_t g = 0; g < 4; ++g)
    for (int k = 0; k < 2000; ++k) groups[g].add((g == 3 ? 10 : 1) * random.normal());
  // The bad group is nearly always outside the others' band.
  EXPECT_LT(calibrate_band(groups).coverage, 0.85);
  EXPECT_THROW(calibrate_band(groups, 95), InputError);
}

}  // namespace
}  // namespace steelyard
