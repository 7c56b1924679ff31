// `effort_delay`: undone where it is given or certain, reported where it is not asked for, refused by name elsewhere.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "oracle/data_folder.hpp"
#include "oracle/refusal.hpp"
#include "seven_logs.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/identify/check.hpp"
#include "steelyard/identify/run.hpp"
#include "steelyard/study/study.hpp"

namespace steelyard::effort_delay_test {
namespace effort_delay_test {

// No delay of a public log is certain (docs/doctor.md): nothing may be undone that costs a hundredth of the residual.
TEST(EffortDelay, AutomaticLeavesThePublicLogsAsTheyAre) {
  if (!oracle::data_folder()) STEELYARD_SKIP_WITHOUT_DATA();
  for (const char* robot : {"panda", "ur10", "lwr4", "tx40"}) {
    Study study = seven_logs::study_of(robot);
    study.feasible.reset();
    const double given = run_study(study).result.residual.prepared;
    study.effort_delay.automatic = true;
    const double undone = run_study(study).result.residual.prepared;
    EXPECT_NEAR(undone, given, 0.01 * given) << robot;
  }
}

using ::testing::HasSubstr;

constexpr double kLate = 0.0073;  // 0.73 samples at 100 Hz

Study study_with(const std::string& key, const std::string& more = "") {
  return read_study_text(
      std::string("robot: ") + STEELYARD_SOURCE_DIR +
          "/robots/two_r.yaml\ndrives: {friction: [viscous, coulomb, offset]}\nruns:\n  - label: late\n    "
          "simulate:\n"
          "      rate: 100\n      effort_noise: 0.02\n      delay: 0.0073\n"
          "      friction: {viscous: 0.5, coulomb: 0.8}\n"
          "      motion: {multi_sine: {harmonics: 5, period: 10, duration: 40, center: [0, 0], reach: 1.5, "
          "seed: "
          "3}}\n" +
          more + "prepare: {filter: {order: 4, cutoff: 5}, columns: filtered" + key +
          "}\nestimate: {intervals: {method: classical, bias_check: false}}\nreport: false\n",
      "study.yaml");
}

Result result_of(const std::string& key) {
  return run_study(study_with(key), {}).result;
}

bool is_reported(const std::vector<Finding>& findings) {
  return std::any_of(findings.begin(), findings.end(),
                     [](const Finding& finding) { return finding.code == "effort-delay"; });
}

TEST(EffortDelay, IsReportedWithoutTheKeyAndUndoneWithIt) {
  const Result late = result_of(""), given = result_of(", effort_delay: 0.0073"),
               found = result_of(", effort_delay: auto");
  EXPECT_TRUE(is_reported(late.findings));
  EXPECT_TRUE(late.preparation.effort_delays.empty());
  for (const Result* result : {&given, &found}) {
    EXPECT_FALSE(is_reported(result->findings));
    EXPECT_LT(result->residual.prepared, 0.5 * late.residual.prepared);
    ASSERT_EQ(result->preparation.effort_delays.size(), 1u);
  }
  EXPECT_EQ(given.preparation.effort_delays[0].how, "given");
  EXPECT_EQ(given.preparation.effort_delays[0].undone, (std::vector<double>{kLate, kLate}));
  const EffortDelaySummary& own = found.preparation.effort_delays[0];
  EXPECT_EQ(own.how, "estimated");
  ASSERT_TRUE(own.common && own.half_width);
  EXPECT_NEAR(*own.common, kLate, 0.0007);  // a tenth
  EXPECT_EQ(own.undone[0], *own.common);
}

TEST(EffortDelay, IsTheSameForAnyNumberOfThreads) {
  StudyOptions four;
  four.threads = 4;
  const Study study = study_with(", effort_delay: auto");
  EXPECT_EQ(run_study(study, {}).result.preparation.effort_delays[0].common,
            run_study(study, four).result.preparation.effort_delays[0].common);
}

TEST(EffortDelay, IsRefusedByName) {
  EXPECT_THAT(refusal([] { study_with(", effort_delay: soon"); }), HasSubstr("effort_delay"));
  EXPECT_THAT(refusal([] { study_with(", effort_delay: 2"); }), HasSubstr("effort_delay"));
  EXPECT_THAT(refusal([] { result_of(", effort_delay: [0, 0.01, 0]"); }), HasSubstr("3 numbers"));
  EXPECT_THAT(refusal([] { run_study(study_with(", effort_delay: auto", "    unsigned: true\n"), {}); }),
              HasSubstr("|effort|"));
}

}  // namespace effort_delay_test
}  // namespace steelyard::effort_delay_test
