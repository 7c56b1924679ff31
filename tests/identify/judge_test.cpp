// The verdict of a result: which runs count as a motion that the model had not seen.
#include <gtest/gtest.h>

#include "identify/summary.hpp"

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

// The worst joint of a run that was not fitted, against those fitted.
std::string codes_of(double fitted_rms, double fitted_share, double rms, double share) {
  Result result;
  result.preparation.kept_share = 1;
  const auto summary = [](double joint_rms, double joint_share) {
    ResidualSummary residual;
    residual.prepared = joint_share;
    residual.per_joint = {{"elbow", joint_rms, joint_share, std::nullopt}};
    return residual;
  };
  result.residual = summary(fitted_rms, fitted_share);
  result.validation = {run_of("a", false, ""), run_of("b", true, "")};
  result.validation[1].residual = summary(rms, share);
  std::string codes;
  for (const Finding& finding : model_findings(Robot{}, Estimate{}, result)) codes += finding.code + " ";
  return codes;
}

TEST(Judge, AQuieterMotionHasALargerShareOfTheSameNoise) {
  EXPECT_EQ(codes_of(0.0155, 0.0024, 0.0144, 0.0119), "");
  EXPECT_EQ(codes_of(0.0155, 0.0024, 0.04, 0.0119), "validation-gap ");
}

// Whatever the rows that were kept say.
TEST(Judge, AnAbsurdPredictionOfTheSamplesIsAnError) {
  Result result;
  result.preparation.kept_share = 1;
  result.residual.prepared = 0.01;
  result.residual.raw = 100;  // accelerations of a coarse encoder
  EXPECT_TRUE(model_findings(Robot{}, Estimate{}, result).empty());
  result.residual.raw = 5e13;
  const std::vector<Finding> found = model_findings(Robot{}, Estimate{}, result);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].code, "absurd-prediction");
  EXPECT_EQ(found[0].severity, Severity::error);
}

}  // namespace
}  // namespace steelyard
