// How sure signs are where the model lacks something; bench/signs_bench calibration makes the whole table.
#include <gtest/gtest.h>

#include "signs/sign_cases.hpp"

namespace steelyard {
namespace evidence_test {

using namespace sign_cases;

struct Counted {
  double segments = 0, best_wrong = 0, decided = 0, wrong = 0;  // wrong: of the decided ones
};

Counted count(double coulomb, std::uint64_t first, std::uint64_t last) {
  const Bench bench = make_bench(STEELYARD_SOURCE_DIR, "kr5", false);
  Case options;
  options.coulomb = coulomb;
  Counted out;
  for (std::uint64_t seed = first; seed <= last; ++seed) {
    const Trial trial = simulate_trial(bench, options, seed);
    const SegmentedRun run = detect_segments(trial.samples, trial.rate, options.segments);
    SignOptions search;
    search.correlation = run.band.correlation();
    const WeighedSearch found =
        recover_signs_reweighed(fold_segments(bench.plan, bench.layouts, trial.samples, run), run.segments,
                                rms_weights(run), {&bench.robot, &bench.base}, search, 2);
    const Score result = score(trial.truth, run, found.search);
    out.segments += static_cast<double>(result.segments);
    out.best_wrong += static_cast<double>(result.wrong);
    out.decided += static_cast<double>(result.decided);
    out.wrong += static_cast<double>(result.decided_wrong);
    for (const SignGroupFlip& group : found.search.groups) EXPECT_GE(group.segments.size(), 2U);
  }
  return out;
}

TEST(SignEvidence, DecidesEverythingWhereTheModelIsRight) {
  const Counted found = count(0, 1, 6);
  EXPECT_EQ(found.wrong, 0);
  EXPECT_EQ(found.decided, found.segments);
}

// Dry friction of 0.3 of the RMS effort in the log and none in the model: the best pattern is wrong in places, and what
// is decided is not.
TEST(SignEvidence, StaysRightWhereTheModelLacksFriction) {
  const Counted found = count(0.3, 1, 4);
  EXPECT_GT(found.best_wrong, 0);
  EXPECT_GT(found.decided, 0.1 * found.segments);
  EXPECT_EQ(found.wrong, 0);
}

}  // namespace evidence_test
}  // namespace steelyard
