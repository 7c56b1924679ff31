// Intervals hold the truth as often as they say: a seeded small version of bench/coverage_bench.
#include <gtest/gtest.h>

#include "study/coverage_cases.hpp"

namespace steelyard {
namespace {

const std::string kSource = STEELYARD_SOURCE_DIR;

double mean_coverage(const coverage::Outcome& out) {
  return (out.held_or_flagged - out.flagged).sum() / (1 - out.flagged.array()).sum();
}

// 40 repetitions of 64 parameters that are correlated: the mean is known to about a point, a single share to
// 3.4 points, the smallest of 64 lies some 2.5 of those below.
TEST(Coverage, OfTheBootstrapHoldsForWhiteAndForFilteredEffortNoise) {
  for (const double corner : {0.0, 5.0}) {
    coverage::Case options;
    options.repetitions = 40;
    options.corner = corner;
    options.options.bootstrap.replicates = 200;
    const coverage::Outcome out = coverage::run(kSource, options);
    EXPECT_NEAR(mean_coverage(out), 0.955, 0.025) << corner;
    EXPECT_GE(out.held_or_flagged.minCoeff(), 0.82) << corner;
    EXPECT_LT(out.effective_rows, static_cast<double>(out.rows)) << corner;
  }
}

TEST(Coverage, OfClassicalIntervalsHoldsForWhiteNoiseOnly) {
  coverage::Case options;
  options.repetitions = 25;
  options.options.method = IntervalMethod::classical;
  EXPECT_NEAR(mean_coverage(coverage::run(kSource, options)), 0.95, 0.03);
  options.corner = 5;
  EXPECT_LT(mean_coverage(coverage::run(kSource, options)), 0.91);
}

TEST(Coverage, IsKeptUnderEncoderNoiseByFlaggingWhatIsBiased) {
  coverage::Case options;
  options.repetitions = 20;
  options.bias_check = true;
  options.encoder_noise = 1e-4;
  options.options.bootstrap.replicates = 200;
  const coverage::Outcome coarse = coverage::run(kSource, options);
  EXPECT_GT(coarse.bias.cwiseAbs().maxCoeff(), 3);
  EXPECT_GT(coarse.flagged.mean(), 0.3);
  EXPECT_GE(coarse.held_or_flagged.minCoeff(), 0.75);
  EXPECT_GE(mean_coverage(coarse), 0.93);
  options.encoder_noise = 1e-5;
  options.repetitions = 10;
  const coverage::Outcome fine = coverage::run(kSource, options);
  EXPECT_LT(fine.flagged.mean(), 0.03);
  EXPECT_GE(mean_coverage(fine), 0.92);
}

}  // namespace
}  // namespace steelyard
