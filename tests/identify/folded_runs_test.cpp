// What a study of folds knows of its runs: motions that are repeated, logs that are given twice, and what
// making the efforts has found.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>

#include "steelyard/fold/fold_file.hpp"
#include "steelyard/identify/check.hpp"
#include "steelyard/identify/run.hpp"

namespace steelyard {
namespace folded_runs_test {

using testing::HasSubstr;
using testing::Not;

const std::string kRobot = STEELYARD_SOURCE_DIR "/robots/two_r.yaml";
constexpr const char* kRest =
    "drives: {friction: [viscous, coulomb, offset]}\n"
    "prepare: {filter: {order: 4, cutoff: 8}, columns: filtered}\n"
    "estimate: {method: wls, intervals: {bias_check: false, replicates: 20}}\n";

std::string simulated(const std::string& label, int motion, const std::string& more = "") {
  return "  - label: " + label + "\n    simulate:\n      rate: 200\n      effort_noise: 0.05\n" +
         "      friction: {viscous: 0.3, coulomb: 0.4}\n      velocity: none\n" +
         "      motion: {multi_sine: {harmonics: 4, period: 5, center: [0, 0], reach: 1.5, seed: " +
         std::to_string(motion) + "}}\n" + more;
}

Study study_of(const std::string& runs, const std::string& rest = kRest) {
  return read_study_text("robot: " + kRobot + "\nruns:\n" + runs + rest, "study.yaml");
}

// One run, folded by a study of its own.
FoldedRun folded(const std::string& label, int motion, int seed) {
  return fold_study(study_of(simulated(label, motion), kRest + ("seed: " + std::to_string(seed) + "\n")), {})
      .at(0);
}

class FoldedRuns : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("steelyard_folded_runs_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // The first is fitted, the second has the role.
  Study of_folds(const FoldedRun& first, const FoldedRun& second, RunRole role) const {
    Study study = study_of(simulated("a", 3));
    study.runs.clear();
    for (const FoldedRun* run : {&first, &second}) {
      StudyRun& added = study.runs.emplace_back();
      added.file.label.label = run->label;
      added.file.label.role = run == &first ? RunRole::fit : role;
      added.file.path = (folder_ / (run->label + ".fold")).string();
      write_fold_file(std::span(run, 1), added.file.path);
      added.folded = std::make_shared<const FoldedRun>(read_fold_file(added.file.path).at(0));
    }
    return study;
  }

  std::filesystem::path folder_;
};

// The forecast needs folds alone, and no pass over a log.
TEST_F(FoldedRuns, ForecastIsThatOfTheLogs) {
  const Study logs = study_of(simulated("a", 3) + simulated("b", 5, "    role: validate\n"));
  const std::vector<FoldedRun> files = fold_study(logs, {});
  ASSERT_EQ(files.size(), 2U);
  const Result by_logs = run_study(logs).result;
  const Result by_folds = run_study(of_folds(files[0], files[1], RunRole::validate)).result;
  ASSERT_TRUE(by_logs.forecast && by_folds.forecast);
  EXPECT_EQ(by_folds.passes, 0);
  const auto of_fresh = [](const Result& result) {
    for (const RunValidation& run : result.validation)
      if (run.fresh) return run.forecast;
    return std::optional<MotionForecast>();
  };
  const auto here = of_fresh(by_logs), there = of_fresh(by_folds);
  ASSERT_TRUE(here && there);
  for (const auto& [a, b] :
       {std::pair{*here, *there}, {by_logs.forecast->typical, by_folds.forecast->typical}}) {
    EXPECT_GT(a.expected, 0);
    EXPECT_NEAR(b.expected, a.expected, 1e-9 * a.expected);
    EXPECT_NEAR(b.lower, a.lower, 1e-9 * a.lower);
    EXPECT_NEAR(b.upper, a.upper, 1e-9 * a.upper);
  }
}

// Ten refits and what is made of them. Time of the processor, since others use the machine, too.
TEST(ForecastCost, IsAtMostFifteenEstimates) {
  Study study = read_study(STEELYARD_SOURCE_DIR "/examples/demo/study.yaml");
  study.intervals.bias_check = false;
  std::map<std::string, double> shortest;
  for (int time = 0; time < 3; ++time)
    for (const StageTime& stage : run_study(study).times) {
      const auto [known, is_new] = shortest.emplace(stage.stage, stage.cpu_seconds);
      if (!is_new) known->second = std::min(known->second, stage.cpu_seconds);
    }
  EXPECT_LE(shortest.at("cross-validation") + shortest.at("forecast"), 15 * shortest.at("estimate"));
}

std::string codes(const std::vector<Finding>& findings) {
  std::string list;
  for (const Finding& finding : findings)
    if (finding.severity != Severity::note) list += finding.code + " ";
  return list;
}

struct Judged {
  VerdictLevel level;
  std::string codes, words;
};

std::string reason_of_the_test(const Verdict& verdict) {
  for (const std::string& reason : verdict.reasons)
    if (reason.find("is unexplained") != std::string::npos) return reason;
  return "";
}

Judged judged(const Study& study) {
  const Result result = run_study(study, {}).result;
  return {result.verdict.level, codes(result.findings), reason_of_the_test(result.verdict)};
}

TEST_F(FoldedRuns, AnotherMotionIsOne) {
  const Judged found = judged(of_folds(folded("a", 3, 1), folded("b", 4, 1), RunRole::validate));
  EXPECT_EQ(found.codes, "");
  EXPECT_EQ(found.level, VerdictLevel::good);
  EXPECT_THAT(found.words, HasSubstr("a motion that was not fitted"));
}

TEST_F(FoldedRuns, ARepeatedMotionIsNone) {
  const Study study = of_folds(folded("a", 3, 1), folded("b", 3, 2), RunRole::validate);
  const Result result = run_study(study, {}).result;
  EXPECT_EQ(result.verdict.level, VerdictLevel::usable);
  EXPECT_EQ(codes(result.findings), "repeated-motion ");
  EXPECT_EQ(result.validation[1].repeats, "a");
  EXPECT_THAT(result.verdict.reasons[1], HasSubstr("repeats the motion of 'a'"));
  EXPECT_THAT(codes(check_study(study).findings), HasSubstr("repeated-motion"));
}

// Beside a log, and whatever another study has said of the motion.
TEST_F(FoldedRuns, ARepeatedMotionIsFoundInALogToo) {
  Study study = of_folds(folded("a", 3, 1), folded("b", 3, 2), RunRole::validate);
  study.runs[0] = study_of(simulated("log", 3)).runs[0];
  const Judged found = judged(study);
  EXPECT_EQ(found.level, VerdictLevel::usable);
  EXPECT_EQ(found.codes, "repeated-motion ");
  const std::vector<FoldedRun> pair =
      fold_study(study_of(simulated("a", 3) + simulated("b", 3, "    role: validate\n")), {});
  EXPECT_THAT(codes(*pair[1].findings), HasSubstr("repeated-motion"));
  EXPECT_EQ(judged(of_folds(folded("c", 4, 1), pair[1], RunRole::validate)).level, VerdictLevel::good);
}

TEST_F(FoldedRuns, FoldsWithoutAMotionAreNotKnownToBeAnotherOne) {
  FoldedRun old = folded("b", 4, 1);
  old.motion.reset();
  const Judged fresh = judged(of_folds(folded("a", 3, 1), old, RunRole::validate));
  EXPECT_EQ(fresh.level, VerdictLevel::usable);
  EXPECT_EQ(fresh.codes, "motion-unknown ");
  EXPECT_THAT(fresh.words, HasSubstr("whether its motion was is unknown"));
  EXPECT_EQ(judged(of_folds(old, folded("a", 3, 1), RunRole::validate)).level, VerdictLevel::usable);
  EXPECT_EQ(judged(of_folds(old, folded("a", 3, 1), RunRole::fit)).level, VerdictLevel::usable);
}

TEST_F(FoldedRuns, TheSameLogTwiceIsSaid) {
  const FoldedRun run = folded("a", 3, 1);
  FoldedRun copy = run;
  relabel(copy, "copy");
  join_blocks(copy, 2);
  const Judged both = judged(of_folds(run, copy, RunRole::fit));
  EXPECT_EQ(both.level, VerdictLevel::not_trustworthy);
  EXPECT_EQ(both.codes, "same-log ");
  const Judged fresh = judged(of_folds(run, copy, RunRole::validate));
  EXPECT_EQ(fresh.level, VerdictLevel::usable);
  EXPECT_THAT(fresh.codes, HasSubstr("fitted-run"));
  EXPECT_THAT(codes(check_study(of_folds(run, copy, RunRole::fit)).findings), HasSubstr("same-log"));
  // The motion again with other noise is another log.
  EXPECT_THAT(judged(of_folds(run, folded("b", 3, 2), RunRole::fit)).codes, Not(HasSubstr("same-log")));
}

// A log and a copy of it, without any folds in the study.
TEST_F(FoldedRuns, TheSameLogTwiceIsSaidOfLogsToo) {
  Study study = study_of(simulated("a", 3));
  study.runs.push_back(study.runs[0]);
  study.runs[1].file.label.label = "copy";
  EXPECT_THAT(judged(study).codes, HasSubstr("same-log"));
}

// Half of the effort is noise: signs are undecided.
TEST_F(FoldedRuns, WhatTheSignsFoundGoesWithTheFolds) {
  const Study study = read_study_text(
      "robot: " STEELYARD_SOURCE_DIR
      "/robots/kr5.yaml\nruns:\n  - label: a\n    unsigned: true\n    simulate:\n      rate: 50\n"
      "      relative_effort_noise: 0.5\n      velocity: exact\n      motion: {multi_sine: {harmonics: 3, "
      "period: 13.33, center: [0, 0, 0, 0, 0, 0], reach: [1.5, 1, 1, 2, 1.5, 2], seed: 7}}\n"
      "prepare: {decimate: 1, differences: 6}\n"
      "signs: {filter: {order: 4, cutoff: 5}, threshold: 0.5, shortest: 8, low_minimum: 0.8}\n"
      "estimate: {method: wls}\nseed: 1\n",
      "study.yaml");
  for (const bool examine : {true, false}) {
    StudyOptions options;
    options.examine = examine;
    const SignsOutcome signs = recover_study_signs(study, options);
    ASSERT_FALSE(signs.findings.empty());
    const FoldedRun run = fold_study(study, options).at(0);
    ASSERT_TRUE(run.findings);
    EXPECT_EQ(is_examined(run), examine);
    EXPECT_TRUE(run.motion);
    for (const Finding& finding : signs.findings)
      EXPECT_TRUE(std::any_of(run.findings->begin(), run.findings->end(), [&](const Finding& other) {
        return other.code == finding.code && other.joint == finding.joint;
      })) << finding.code;
  }
}

// Stamps of long text logs are presumed to be uniform, and folded again where they are not.
TEST_F(FoldedRuns, StampsAreReadWithTheSamples) {
  const std::string log = (folder_ / "log.csv").string();
  Study study = study_of("  - {label: a, file: " + log +
                         ", columns: {time: t, position: \"q{j}\", torque: \"tau{j}\"}}\n");
  for (const Index pause : {0, 400}) {
    std::ofstream text(log);
    text << "t,q1,q2,tau1,tau2\n";
    for (Index i = 0; i < 16000; ++i) {
      const double t = 5e-3 * static_cast<double>(i < 12000 ? i : i + pause);
      text << fmt::format("{:.3f},{:.9f},{:.9f},{:.6f},{:.6f}\n", t, std::sin(2 * t), std::cos(3.1 * t),
                          9 * std::cos(2 * t) + std::sin(7 * t), 4 * std::sin(3.1 * t));
    }
    text.close();
    std::vector<FoldedRun> runs;
    for (const std::size_t buffer : {std::size_t{256} << 10, std::size_t{256}}) {  // short and long logs
      study.runs[0].file.csv.buffer = buffer;
      runs.push_back(fold_study(study, {}).at(0));
      EXPECT_TRUE(is_examined(runs.back()));
    }
    ASSERT_EQ(runs[0].samples, 16000 + pause);
    EXPECT_EQ(runs[1].samples, runs[0].samples);
    EXPECT_NEAR(runs[1].step / runs[0].step, 1, 1e-14);  // of irregular stamps the median, from parts
    ASSERT_EQ(runs[1].blocks.size(), runs[0].blocks.size());
    for (std::size_t b = 0; b < runs[0].blocks.size(); ++b)
      for (std::size_t r = 0; r < runs[0].blocks[b].core.size(); ++r) {
        const Fold &expected = runs[0].blocks[b].core[r], &found = runs[1].blocks[b].core[r];
        ASSERT_EQ(found.rows(), expected.rows());
        // Samples at times that are rounded otherwise; without a pause they are the same. Columns depend on
        // each other here, so that only the Gram matrix is unique.
        const MatrixXd gram = expected.R().transpose() * expected.R();
        const double tolerance = pause == 0 ? 0 : 1e-9;
        EXPECT_LE((found.R().transpose() * found.R() - gram).norm(), tolerance * gram.norm());
      }
  }
}

}  // namespace folded_runs_test
}  // namespace steelyard
