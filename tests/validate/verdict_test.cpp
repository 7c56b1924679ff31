#include "steelyard/validate/verdict.hpp"

#include <gmock/gmock.h>

namespace steelyard {
namespace {

using ::testing::HasSubstr;

Evidence clean() {
  Evidence evidence;
  evidence.fitted = 0.01;
  evidence.blocks = 0.012;
  evidence.not_used = {{"fresh", 0.02, ""}};
  return evidence;
}

TEST(Verdict, AModelProvenOnAFreshMotionIsGood) {
  const Verdict verdict = judge(clean());
  EXPECT_EQ(verdict.level, VerdictLevel::good);
  ASSERT_EQ(verdict.reasons.size(), 1U);
  EXPECT_THAT(verdict.reasons[0], HasSubstr("2.00 % of the effort is unexplained on run 'fresh'"));
}

TEST(Verdict, AModelThatNoOtherMotionHasTriedIsNoMoreThanUsable) {
  Evidence evidence = clean();
  evidence.not_used = {{"again", 0.01, "excitation"}};
  Verdict verdict = judge(evidence);
  EXPECT_EQ(verdict.level, VerdictLevel::usable);
  EXPECT_THAT(verdict.reasons[0], HasSubstr("repeats the motion of 'excitation'"));
  evidence.not_used.clear();
  verdict = judge(evidence);
  EXPECT_EQ(verdict.level, VerdictLevel::usable);
  EXPECT_THAT(verdict.reasons[0], HasSubstr("1.20 %"));
  evidence.blocks.reset();
  EXPECT_THAT(judge(evidence).reasons[0], HasSubstr("nothing was held out"));
}

TEST(Verdict, ValuesWithoutRowsAreNotSaidToFitAnything) {
  Evidence evidence;
  Verdict verdict = judge(evidence);
  EXPECT_EQ(verdict.level, VerdictLevel::usable);
  EXPECT_THAT(verdict.reasons[0], HasSubstr("nothing was fitted"));
  evidence.not_used = {{"fresh", 0.02, ""}};
  EXPECT_EQ(judge(evidence).level, VerdictLevel::good);
}

TEST(Verdict, TheWorstFreshRunDecidesAndRepeatsDoNotHideIt) {
  Evidence evidence = clean();
  evidence.not_used = {{"a", 0.02, ""}, {"b", 0.12, ""}, {"c", 0.5, "a"}};
  EXPECT_EQ(judge(evidence).level, VerdictLevel::usable);
  evidence.not_used[1].residual = 0.31;
  EXPECT_EQ(judge(evidence).level, VerdictLevel::not_trustworthy);
}

TEST(Verdict, AMotionThatIsNotKnownToBeAnotherOneProvesNothing) {
  Evidence evidence = clean();
  evidence.motions = {{"left", 0.02, ""}};
  evidence.findings = {make_finding("motion-unknown", "fresh", "not known")};
  Verdict verdict = judge(evidence);
  EXPECT_EQ(verdict.level, VerdictLevel::usable);
  EXPECT_THAT(verdict.reasons.back(), HasSubstr("whether its motion was is unknown"));
  evidence.not_used.clear();
  verdict = judge(evidence);
  EXPECT_EQ(verdict.level, VerdictLevel::usable);
  EXPECT_THAT(verdict.reasons.back(), HasSubstr("on held-out blocks of the fitted runs"));
  evidence.findings[0].waived = true;
  EXPECT_EQ(judge(evidence).level, VerdictLevel::good);
}

TEST(Verdict, TablesAreSpokenOfAsTables) {
  Evidence evidence;
  evidence.of_tables = true;
  evidence.fitted = 1e-6;
  EXPECT_EQ(judge(evidence).level, VerdictLevel::usable);
  EXPECT_THAT(judge(evidence).reasons[1],
              HasSubstr("this model has not been tested on other configurations"));
  evidence.not_used = {{"random", 1.2e-6, ""}};
  EXPECT_EQ(judge(evidence).reasons[0],
            "0.0001 % of g and M is unexplained at the configurations 'random', which were not fitted");
}

TEST(Verdict, MotionsLeftOutInTurnStandInForFreshOnes) {
  Evidence evidence = clean();
  evidence.not_used.clear();
  evidence.motions = {{"a", 0.03, ""}, {"b", 0.04, ""}};
  EXPECT_EQ(judge(evidence).level, VerdictLevel::good);
}

TEST(Verdict, ErrorsDecideUnlessWaivedAndComeFirst) {
  Evidence evidence = clean();
  evidence.findings = {{"ill-conditioned", "", Severity::warning, "condition 1e9", "", false},
                       {"rank-deficient", "mx6", Severity::error, "rank 42 of 43", "", false}};
  const Verdict verdict = judge(evidence);
  EXPECT_EQ(verdict.level, VerdictLevel::not_trustworthy);
  EXPECT_EQ(verdict.reasons[0], "rank-deficient (mx6): rank 42 of 43");
  evidence.findings[1].waived = true;
  EXPECT_EQ(judge(evidence).level, VerdictLevel::usable);
  evidence.findings[0].waived = true;
  EXPECT_EQ(judge(evidence).level, VerdictLevel::good);
}

// The first line says for which motions, with the number.
TEST(Verdict, OneWarningIsToldSeveralAreNamed) {
  Evidence evidence = clean();
  evidence.findings = {{"quantised", "a", Severity::warning, "steps of 0.02", "", false}};
  EXPECT_EQ(judge(evidence).reasons[0], "quantised (a): steps of 0.02");
  evidence.findings.push_back({"poor-excitation", "", Severity::warning, "condition 1e3", "", false});
  evidence.findings.push_back({"quantised", "b", Severity::warning, "steps of 0.03", "", false});
  evidence.findings.push_back({"gaps", "b", Severity::warning, "one of 2 s", "", true});
  EXPECT_EQ(judge(evidence).reasons[0], "warnings: quantised (a, b), poor-excitation");
}

TEST(Verdict, AModelThatWillFailElsewhereSaysSoFirstAndIsNotGood) {
  Evidence evidence = clean();
  evidence.findings = {{"ill-conditioned", "", Severity::warning, "condition 1e9", "", false}};
  evidence.forecast = {0.41, 0.9, "elbow", {}};
  Verdict verdict = judge(evidence);
  EXPECT_EQ(verdict.level, VerdictLevel::usable);
  EXPECT_EQ(
      verdict.reasons[0],
      "usable only for motions like the fitted ones: other motions will fail: about 41 % of the effort is "
      "forecast to be unexplained on typical ones, most at elbow");
  evidence.forecast->expected = 9.7;
  evidence.findings[0].severity = Severity::error;
  verdict = judge(evidence);
  EXPECT_EQ(verdict.level, VerdictLevel::not_trustworthy);
  EXPECT_THAT(verdict.reasons[0],
              testing::StartsWith("other motions will fail: over 100 % (about 9.7 times"));
}

TEST(Verdict, AModelThatIsFarWorseElsewhereSaysSoFirstAndWhetherLinksAre) {
  Evidence evidence = clean();
  evidence.forecast = {0.22, 0.45, "wrist", 0.06};
  Verdict verdict = judge(evidence);
  EXPECT_EQ(verdict.level, VerdictLevel::usable);
  EXPECT_THAT(verdict.reasons[0],
              testing::StartsWith("usable only for motions like the fitted ones: on other motions the "
                                  "estimate will be wrong by about 22 % of the effort"));
  EXPECT_THAT(verdict.reasons[0], testing::EndsWith("; the feasible links by about 6 %: use those"));
  // As wrong as on the fitted motion: no news.
  evidence.blocks = 0.12;
  verdict = judge(evidence);
  EXPECT_EQ(verdict.level, VerdictLevel::good);
  EXPECT_THAT(verdict.reasons[0], HasSubstr("on run 'fresh'"));
  EXPECT_THAT(verdict.reasons[1], testing::StartsWith("good for typical motions: about 22 % of the effort"));
}

TEST(Verdict, AGoodModelSaysForWhichMotions) {
  Evidence evidence = clean();
  evidence.forecast = {0.03, 0.05, "wrist", 0.02};
  const Verdict verdict = judge(evidence);
  EXPECT_EQ(verdict.level, VerdictLevel::good);
  EXPECT_EQ(verdict.reasons[1],
            "good for typical motions: about 3 % of the effort is forecast to be unexplained, with 90 % "
            "probability at "
            "most 5 %; by the feasible links about 2 %");
}

TEST(Verdict, TheBandOfTheLogIsNamedWhereItCounts) {
  Evidence evidence = clean();
  evidence.band = {2, 6.4, 0.01};
  evidence.not_used = {{"fresh", 0.12, "", {}, 0.02}};
  const Verdict verdict = judge(evidence);
  EXPECT_EQ(verdict.level, VerdictLevel::usable);
  EXPECT_EQ(verdict.reasons[0],
            "12.00 % of the effort is unexplained on run 'fresh', a motion that was not fitted; at the band "
            "of the log, "
            "6.4 Hz; at the cut-off of 2 Hz 2.00 %");
}

}  // namespace
}  // namespace steelyard
