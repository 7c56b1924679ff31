// Intervals hold the truth as often as they say: a seeded small version of bench/coverage_bench.
#include <gtest/gtest.h>

#include "identify/coverage_cases.hpp"
#include "oracle/sanitized.hpp"

namespace steelyard {
namespace coverage_test {

const std::string kSource = STEELYARD_SOURCE_DIR;

double mean_coverage(const coverage::Outcome& out) {
  return (out.held_or_flagged - out.flagged).sum() / (1 - out.flagged.array()).sum();
}

// The share that the worst of `parameters` intervals of 95 % falls below in one of a hundred experiments of
// that many repetitions: the binomial quantile, Bonferroni over the parameters. 0.6 for 10 repetitions of 64
// parameters, 0.76 for 25 of 11.
double min_share(int repetitions, Index parameters) {
  double below = 0;  // probability of fewer than `held`
  for (int held = 0; held <= repetitions; ++held) {
    const double n = repetitions, k = held;
    below += std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) + k * std::log(0.95) +
                      (n - k) * std::log(0.05));
    if (below * static_cast<double>(parameters) > 0.01) return k / n;
  }
  return 1;
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

void expect_held_or_flagged(coverage::Case options, double min_flagged) {
  options.bias_check = true;
  options.options.bootstrap.replicates = 200;
  const coverage::Outcome out = coverage::run(kSource, options);
  EXPECT_GE(mean_coverage(out), 0.92) << options.encoder_noise << " rad, " << options.cutoff << " Hz";
  EXPECT_GE(out.held_or_flagged.minCoeff(), min_share(options.repetitions, out.covered.size()))
      << options.encoder_noise << " rad, " << options.cutoff;
  EXPECT_GE(out.flagged.mean(), min_flagged) << options.encoder_noise << " rad, " << options.cutoff;
  if (options.encoder_noise <= 1e-5 && options.cutoff <= 10) {
    EXPECT_LT(out.flagged.mean(), 0.03);
  }
}

TEST(Coverage, IsKeptUnderEncoderNoiseByFlaggingWhatIsBiased) {
  coverage::Case options;
  options.repetitions = 10;
  options.encoder_noise = 1e-4;
  expect_held_or_flagged(options, 0.3);
  options.corner = 5;
  options.encoder_noise = 1e-5;
  expect_held_or_flagged(options, 0);
}

TEST(Coverage, OfTheTwoLinkArmIsKeptByFlagsOrByInstruments) {
  coverage::Case options;
  options.arm = coverage::Arm::two_r;
  options.repetitions = oracle::is_sanitized() ? 8 : 25;
  options.encoder_noise = 1e-4;
  options.cutoff = 20;
  expect_held_or_flagged(options, 0.2);
  options.instruments = true;
  options.options.bootstrap.replicates = 200;
  const coverage::Outcome cured = coverage::run(kSource, options);
  EXPECT_GE(mean_coverage(cured), 0.92);
  EXPECT_GE(cured.held_or_flagged.minCoeff(), 0.8);
}

Run noisy_sine(double deviation, bool even) {
  Run run;
  run.samples = SampleBlock({"position", "torque"}, 2, 6000);
  Random random(4, "stamps and noise");
  double time = 0;
  for (Index s = 0; s < 6000; ++s) {
    time += even ? 0.005 : random.uniform(0.003, 0.007);
    run.samples.time()[s] = time;
    run.samples.row(0, 0)[s] = std::sin(3 * time) + random.normal(0, deviation);
    run.samples.row(0, 1)[s] = std::cos(2 * time) + random.normal(0, 3 * deviation);
  }
  return run;
}

// 6000 windows of seven: a standard deviation is known to about 3 %. Noise of 1e-6 is above what six
// differences leave of 3 rad/s at 200 Hz, 1e-11.
TEST(PositionNoise, IsMeasuredAtEvenAndAtUnevenStamps) {
  for (const bool even : {true, false})
    for (const double deviation : {1e-6, 1e-4}) {
      const steelyard::Run run = noisy_sine(deviation, even);
      const VectorXd found = position_noise(*view_run(run));
      EXPECT_NEAR(found[0], deviation, 0.1 * deviation) << even;
      EXPECT_NEAR(found[1], 3 * deviation, 0.3 * deviation) << even;
    }
}

// Eight lost messages in 6000 samples: squares of a thousand deviations would be all of the mean.
TEST(PositionNoise, OfALogWithOutliersIsThatOfTheOtherSamples) {
  steelyard::Run run = noisy_sine(1e-5, true);
  for (Index s = 300; s < 6000; s += 700) run.samples.row(0, 0)[s] += 0.01;
  const VectorXd found = position_noise(*view_run(run));
  EXPECT_NEAR(found[0], 1e-5, 0.15e-5);
  EXPECT_NEAR(found[1], 3e-5, 0.3e-5);
}

TEST(PositionNoise, AddedAndTakenAwayLeavesTheMeasuredPositions) {
  const steelyard::Run run = noisy_sine(1e-5, true);
  const VectorXd deviation = VectorXd::Constant(2, 1e-3);
  DisturbedSource plus(view_run(run), deviation, 1, 7), minus(view_run(run), deviation, -1, 7);
  const SampleBlock more = read_all(plus), again = read_all(plus), less = read_all(minus);
  for (Index s = 0; s < run.samples.size(); s += 100) {
    EXPECT_EQ(more.row(0, 1)[s], again.row(0, 1)[s]);
    EXPECT_NEAR(0.5 * (more.row(0, 1)[s] + less.row(0, 1)[s]), run.samples.row(0, 1)[s], 1e-15);
  }
  EXPECT_NEAR(position_noise(plus)[0], 1e-3, 1e-4);
}

}  // namespace coverage_test
}  // namespace steelyard
