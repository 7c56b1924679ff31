// Signs of a model that does not fit: which segment to cut, which friction to add.
#include "steelyard/signs/goodness.hpp"

#include <gtest/gtest.h>

#include "signs/sign_cases.hpp"

namespace steelyard {
namespace goodness_test {

using namespace sign_cases;

struct Judged {
  SegmentedRun run;
  SignSearch search;
  SignGoodness goodness;
};

Judged judge(const Bench& bench, const Trial& trial, const SegmentedRun& run) {
  Judged out;
  out.run = run;
  const std::vector<Fold> folds = fold_segments(bench.plan, bench.layouts, trial.samples, run);
  const SignProblem problem = make_sign_problem(folds, run.segments, rms_weights(run));
  out.search = recover_signs(problem, {&bench.robot, &bench.base, {}});
  GoodnessOptions options;
  options.correlation = 5;  // 50 Hz behind a filter of 5 Hz
  out.goodness = judge_signs(bench.plan, trial.samples, run, out.search.signs,
                             model_of_signs(folds, problem, out.search.signs), 0, options);
  return out;
}

const Bench& kr5() {
  static const Bench bench = make_bench(STEELYARD_SOURCE_DIR, "kr5", false);
  return bench;
}

TEST(SignGoodness, OfAGoodModelHasNothingToSay) {
  for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
    const Trial trial = simulate_trial(kr5(), {}, seed);
    const Judged judged = judge(kr5(), trial, detect_segments(trial.samples, trial.rate));
    EXPECT_TRUE(judged.goodness.changes.empty()) << seed;
    EXPECT_TRUE(judged.goodness.friction.empty()) << seed;
    // 5 % of white noise behind a filter that lets a fifth of it pass.
    EXPECT_LT(judged.goodness.misfit.maxCoeff(), 0.05);
  }
}

// Two neighbours of opposite sign, made one by hand.
TEST(SignGoodness, NamesTheMixedSegmentAndWhereToCutIt) {
  int tried = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Trial trial = simulate_trial(kr5(), {}, seed);
    const SegmentedRun whole = detect_segments(trial.samples, trial.rate);
    std::vector<SignSegment> segments = whole.segments;
    std::size_t at = 0;
    while (at + 1 < segments.size() &&
           !(segments[at].joint == 2 && segments[at + 1].joint == 2 &&
             true_sign(trial.truth, segments[at]) != true_sign(trial.truth, segments[at + 1])))
      ++at;
    if (at + 1 >= segments.size()) continue;
    ++tried;
    const Index from = segments[at].range.end, to = segments[at + 1].range.begin;
    segments[at].range.end = segments[at + 1].range.end;
    segments.erase(segments.begin() + static_cast<Index>(at) + 1);
    const Judged judged = judge(kr5(), trial, use_segments(trial.samples, trial.rate, segments));
    ASSERT_FALSE(judged.goodness.changes.empty()) << seed;
    const HiddenChange& change = judged.goodness.changes.front();
    EXPECT_EQ(change.segment, static_cast<Index>(at)) << seed;
    EXPECT_GE(change.sample, from - 5);  // a tenth of a second around the gap
    EXPECT_LE(change.sample, to + 5);
  }
  EXPECT_GE(tried, 2);
}

// Coulomb friction of 0.3 RMS in the log and none in the model.
TEST(SignGoodness, NamesJointsWithFrictionThatIsNotModelled) {
  Case options;
  options.coulomb = 0.3;
  const Trial trial = simulate_trial(kr5(), options, 1);
  const Judged judged = judge(kr5(), trial, detect_segments(trial.samples, trial.rate));
  EXPECT_GE(judged.goodness.friction.size(), 3U);
  for (const MissingFriction& friction : judged.goodness.friction) EXPECT_GT(friction.effort, 0);
}

}  // namespace goodness_test
}  // namespace steelyard
