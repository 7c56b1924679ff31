// The verdict of a result: which runs count as a motion that the model had not seen.
#include <gtest/gtest.h>

#include "study/summary.hpp"

namespace steelyard {
namespace {

RunValidation run_of(const std::string& name, bool fresh, const std::string& repeats) {
  RunValidation run;
  run.run = name;
  run.fresh = fresh;
  run.residual.prepared = 0.02;
  run.repeats = repeats;
  run.left_out = run.residual;
  return run;
}

VerdictLevel level_of(std::vector<RunValidation> runs) {
  Result result;
  result.residual.prepared = 0.01;
  result.validation = std::move(runs);
  judge_result(Study{}, result);
  return result.verdict.level;
}

TEST(Judge, OneMotionMadeTwiceProvesNothingByLeavingOneOut) {
  EXPECT_EQ(level_of({run_of("a", false, ""), run_of("b", false, "")}), VerdictLevel::good);
  EXPECT_EQ(level_of({run_of("a", false, ""), run_of("b", false, "a")}), VerdictLevel::usable);
  EXPECT_EQ(level_of({run_of("a", false, "b"), run_of("b", false, "")}), VerdictLevel::usable);
}

TEST(Judge, AFreshRunThatRepeatsAFittedOneIsNoNewMotion) {
  EXPECT_EQ(level_of({run_of("a", false, ""), run_of("b", true, "a")}), VerdictLevel::usable);
}

TEST(Judge, AMotionMadeTwiceButNeverFittedIsNew) {
  EXPECT_EQ(level_of({run_of("a", false, ""), run_of("b", true, ""), run_of("c", true, "b")}),
            VerdictLevel::good);
}

}  // namespace
}  // namespace steelyard
