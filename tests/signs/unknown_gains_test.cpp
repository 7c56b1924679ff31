// Signs and drive gains from the same |current|; the table over 100 trials is made by bench/signs_bench.
#include "steelyard/signs/unknown_gains.hpp"

#include <gtest/gtest.h>

#include "signs/sign_cases.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/core/random.hpp"

namespace steelyard {
namespace unknown_gains_test {

using namespace sign_cases;

const Bench& kr5() {
  static const Bench bench = make_bench(STEELYARD_SOURCE_DIR, "kr5", false);
  return bench;
}

void expect_signs_and_gains(const VectorXd& gains, std::uint64_t seed, double tolerance) {
  Case options;
  options.gains = gains;
  const Trial trial = simulate_trial(kr5(), options, seed);
  const SegmentedRun run = detect_segments(trial.samples, trial.rate);
  const std::vector<Fold> folds = fold_segments(kr5().plan, kr5().layouts, trial.samples, run);
  const SignProblem problem = make_sign_problem(folds, run.segments, rms_weights(run));
  const GainSearch found = recover_signs_and_gains(problem, {&kr5().robot, &kr5().base, {}});
  EXPECT_TRUE(found.converged);
  EXPECT_EQ(score(trial.truth, run, found.search).wrong, 0) << seed;
  Index fixed = 0;
  (found.gains.array() - 1).abs().minCoeff(&fixed);
  for (Index j = 0; j < gains.size(); ++j)
    EXPECT_NEAR(found.gains[j] * gains[fixed] / gains[j], 1, tolerance) << seed << ", joint " << j + 1;
}

// Data-sheet gains that are off by up to 30 %; ratios of gains are known to twice the noise, 5 % a sample.
TEST(UnknownGains, WithinThirtyPercentAreFoundWithTheSigns) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    Random random(seed, "gains of a test");
    VectorXd gains(6);
    for (Index j = 0; j < 6; ++j) gains[j] = random.uniform(0.7, 1.3);
    expect_signs_and_gains(gains, seed, 0.1);
  }
}

// Raw currents: gains of the size of a TX-40's drives, N·m/A.
TEST(UnknownGains, OfRawCurrentsAreFoundWithTheSigns) {
  VectorXd gains(6);
  gains << 32.96, 32.48, 25.66, 11.52, 18.48, 7.68;
  for (const std::uint64_t seed : {1, 2}) expect_signs_and_gains(gains, seed, 0.05);
}

// Ten trials with five intervals of 95 % each; 100 trials of the bench give 93.8 %.
TEST(UnknownGains, AreWithinTheirIntervals) {
  int inside = 0;
  double before = 0, refined = 0;
  for (std::uint64_t seed = 11; seed <= 20; ++seed) {
    Random random(seed, "gains of a test");
    Case options;
    options.gains.resize(6);
    for (Index j = 0; j < 6; ++j) options.gains[j] = random.uniform(0.7, 1.3);
    const Trial trial = simulate_trial(kr5(), options, seed);
    const SegmentedRun run = detect_segments(trial.samples, trial.rate);
    const std::vector<Fold> folds = fold_segments(kr5().plan, kr5().layouts, trial.samples, run);
    const SignProblem problem = make_sign_problem(folds, run.segments, rms_weights(run));
    GainSearchOptions wanted;
    wanted.fixed = 1;
    const GainSearch found = recover_signs_and_gains(problem, {&kr5().robot, &kr5().base, {}}, {}, wanted);
    EXPECT_EQ(found.gains[1], 1);
    const GainEstimate estimate = refine_gains(folds, problem, found, 5);  // 50 Hz behind 5 Hz
    EXPECT_EQ(estimate.sigma[1], 0);
    for (const Index j : {0, 2, 3, 4, 5}) {
      const double truth = options.gains[j] / options.gains[1];
      inside += std::abs(estimate.gains[j] - truth) <= 1.96 * estimate.sigma[j];
      before += std::abs(found.gains[j] / truth - 1);
      refined += std::abs(estimate.gains[j] / truth - 1);
    }
  }
  EXPECT_GE(inside, 44);
  EXPECT_LT(refined, before);
}

TEST(UnknownGains, OfAFixedJointWithoutSegmentsAreRefused) {
  const Trial trial = simulate_trial(kr5(), {}, 1);
  SegmentedRun run = detect_segments(trial.samples, trial.rate);
  std::erase_if(run.segments, [](const SignSegment& segment) { return segment.joint == 3; });
  const std::vector<Fold> folds = fold_segments(kr5().plan, kr5().layouts, trial.samples, run);
  const SignProblem problem = make_sign_problem(folds, run.segments, rms_weights(run));
  GainSearchOptions wanted;
  wanted.fixed = 3;
  EXPECT_THROW(recover_signs_and_gains(problem, {&kr5().robot, &kr5().base, {}}, {}, wanted), InputError);
}

}  // namespace unknown_gains_test
}  // namespace steelyard
