#include "steelyard/validate/whiteness.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "steelyard/core/random.hpp"

namespace steelyard {
namespace {

// e_t = a e_{t−1} + white noise.
Whiteness of_series(double a, Index samples, Index average, std::uint64_t seed, double offset = 0) {
  Random random(seed, "series");
  Autocorrelation sums(average);
  double value = 0;
  for (Index k = 0; k < samples; ++k) {
    value = a * value + random.normal();
    sums.add(value + offset);
  }
  return sums.whiteness();
}

TEST(Whiteness, WhiteResidualsAreCalledColouredAsOftenAsTheLevelSays) {
  for (const Index average : {1, 10}) {
    int rejected = 0;
    for (std::uint64_t seed = 1; seed <= 1000; ++seed)
      rejected += of_series(0, 2000, average, seed).p_value < 0.05;
    // 50 of 1000 expected, binomial standard deviation 7; the χ² itself is approximate at these lengths.
    EXPECT_GT(rejected, 20) << "average " << average;
    EXPECT_LT(rejected, 80) << "average " << average;
  }
}

TEST(Whiteness, TheCorrelationsOfAFirstOrderProcessAreItsPowers) {
  const Whiteness found = of_series(0.8, 200000, 1, 7);
  for (std::size_t k = 0; k < 10; ++k)
    // Standard deviation of an estimated correlation: at most √((1 + a²) / (1 − a²) / n) = 0.005.
    EXPECT_NEAR(found.correlation[k], std::pow(0.8, static_cast<double>(k + 1)), 0.02);
  EXPECT_FALSE(found.white());
  EXPECT_NEAR(found.coloured, 0.64, 0.02);
}

TEST(Whiteness, AConstantOffsetIsNotWhite) {
  EXPECT_TRUE(of_series(0, 5000, 1, 3).white());
  EXPECT_FALSE(of_series(0, 5000, 1, 3, 0.3).white());
}

// Stretches of one value each, of no mean: within a stretch all are equal, and the next says nothing about it. Products across the
// borders would bring r_1 down to 1 − 1/25.
TEST(Whiteness, MissingSamplesSeparateWhatIsBesideThem) {
  Autocorrelation sums(1, 20);
  double own = 0, squares = 0;
  for (Index stretch = 0; stretch < 40; ++stretch) {
    if (stretch > 0) sums.interrupt();
    const double value = stretch % 2 == 0 ? 1 : -1;
    for (Index k = 0; k < 25; ++k) sums.add(value);
    own += 24;
    squares += 25;
  }
  const Whiteness found = sums.whiteness();
  EXPECT_EQ(found.samples, 1000);
  EXPECT_NEAR(found.correlation[0], own / squares, 1e-12);
  // Of 25 samples five pairs are 20 apart.
  EXPECT_NEAR(found.correlation[19], 5.0 / 25, 1e-12);
}

TEST(Whiteness, TooFewSamplesProveNothing) {
  const Whiteness found = of_series(0.99, 99, 1, 1);
  EXPECT_EQ(found.samples, 99);
  EXPECT_EQ(found.p_value, 1);
  EXPECT_TRUE(found.correlation.empty());
}

}  // namespace
}  // namespace steelyard
