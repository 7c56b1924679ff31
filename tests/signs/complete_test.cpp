// Efforts completed from |torque|: simulated logs whose signed torques are known.
#include "steelyard/signs/complete.hpp"

#include <gtest/gtest.h>

#include "signs/sign_cases.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/estimate/estimate.hpp"

namespace steelyard {
namespace {

using namespace sign_cases;

struct Completed {
  Bench bench = make_bench(STEELYARD_SOURCE_DIR, "kr5", false);
  Trial trial;
  SegmentedRun run;
  SignSearch search;
  std::vector<Fold> folds;

  Completed(double noise, std::uint64_t seed) {
    Case options;
    options.noise = noise;
    trial = simulate_trial(bench, options, seed);
    run = detect_segments(trial.samples, trial.rate);
    folds = fold_segments(bench.plan, bench.layouts, trial.samples, run);
    search = recover_signs(make_sign_problem(folds, run.segments, rms_weights(run)),
                           {&bench.robot, &bench.base, {}});
  }
  Completion complete(const VectorXd& decided, const CompleteOptions& options = {}) const {
    return complete_efforts(bench.plan, bench.layouts, {{&trial.samples, &run, search.signs, decided}},
                            options);
  }
  // Unexplained part of the exact signed torques of all samples.
  double error(const std::vector<std::string>& columns, const VectorXd& values) const {
    SegmentedRun whole;
    const int torque = trial.truth.find(channel::kTorque);
    whole.effort.resize(trial.truth.size(), trial.truth.joints());
    for (Index j = 0; j < trial.truth.joints(); ++j) {
      std::copy_n(trial.truth.row(torque, j), trial.truth.size(), whole.effort.col(j).data());
      whole.segments.push_back({j, {0, trial.truth.size()}, 1, 0});
    }
    return residuals(fold_segments(bench.plan, bench.layouts, trial.truth, whole), columns, values)
        .totals[0]
        .relative;
  }
  double error_of_segments(const VectorXd& decided) const {
    EstimateOptions options;
    options.weighting = Weighting::by_row;
    const Estimate fit = estimate(signed_folds(folds, decided), options);
    return error(fit.columns, fit.values);
  }
};

// Noise of 20 % puts many samples near zero, where |τ| sign(m) would be biased.
TEST(CompleteEfforts, BringTheModelNearerToTheTruth) {
  double completed = 0, segments = 0;
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    const Completed own(0.2, seed);
    const Completion found = own.complete(own.search.decided());
    EXPECT_TRUE(found.converged);
    EXPECT_TRUE(found.helps()) << seed;
    EXPECT_GT(found.sure_share.minCoeff(), 0.6);
    completed += own.error(found.columns, found.values);
    segments += own.error_of_segments(own.search.decided());
  }
  // A third more samples, and those at the edges of the segments.
  EXPECT_LT(completed, 0.9 * segments);
}

TEST(CompleteEfforts, FindTheSignsOfSegmentsThatWereLeftOut) {
  const Completed own(0.05, 1);
  VectorXd decided = own.search.decided();
  for (Index k = 0; k < decided.size(); k += 3) decided[k] = 0;
  const Completion found = own.complete(decided);
  for (Index k = 0; k < decided.size(); k += 3) {
    const SignSegment& segment = own.run.segments[static_cast<std::size_t>(k)];
    const Index middle = (segment.range.begin + segment.range.end) / 2;
    EXPECT_GT(found.efforts[0](middle, segment.joint) * own.search.signs[k], 0) << k;
  }
  EXPECT_LT(own.error(found.columns, found.values), own.error_of_segments(decided));
}

TEST(CompleteEfforts, LeaveOutJointsWithoutADecidedSegmentUnlessToldToGuess) {
  const Completed own(0.05, 1);
  VectorXd decided = own.search.decided();
  for (Index k = 0; k < decided.size(); ++k)
    if (own.run.segments[static_cast<std::size_t>(k)].joint == 5) decided[k] = 0;
  const Completion without = own.complete(decided);
  EXPECT_FALSE(without.has_rows[5]);
  EXPECT_EQ(without.efforts[0].col(5).norm(), 0);
  CompleteOptions options;
  options.guess = GuessJoints::always;
  const Completion guessed = own.complete(decided, options);
  EXPECT_TRUE(guessed.is_guess[5] && guessed.has_rows[5]);
  EXPECT_FALSE(guessed.is_guess[0]);
  EXPECT_TRUE(without.helps() && guessed.helps());
  // All signs were right: as good as if they had been decided.
  const Completion all = own.complete(own.search.decided());
  EXPECT_NEAR(own.error(guessed.columns, guessed.values), own.error(all.columns, all.values), 1e-3);
  EXPECT_THROW(own.complete(VectorXd::Zero(decided.size())), InputError);
}

}  // namespace
}  // namespace steelyard
