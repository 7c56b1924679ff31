// The automatic cut-off: close to the best on every real log, and where it must be on logs made up for it.
#include <gtest/gtest.h>

#include <algorithm>

#include "oracle/data_folder.hpp"
#include "study/state.hpp"

namespace steelyard {
namespace {

const std::string kSource = STEELYARD_SOURCE_DIR;

// The steps up to the choice.
PreparationSummary choose(Study study, double* chosen = nullptr) {
  study.cutoff.automatic = true;
  if (study.prepare.filter.cutoff <= 0) study.prepare.filter.cutoff = 1;
  const StudyOptions options;
  StudyState state(study, options);
  open_robot(state);
  choose_cutoff(state);
  if (chosen != nullptr)
    *chosen = state.prepare.column_filter.cutoff > 0 ? state.prepare.column_filter.cutoff
                                                     : state.prepare.filter.cutoff;
  return state.result.preparation;
}

double score_at(const PreparationSummary& summary, double cutoff) {
  for (const CutoffCandidate& candidate : summary.candidates)
    if (candidate.cutoff == cutoff) return candidate.score;
  return -1;
}

class CutoffOnRealLogs : public testing::TestWithParam<const char*> {};

TEST_P(CutoffOnRealLogs, IsWithinFivePercentOfTheBestOfTwoFiveTenAndTwentyHertz) {
  if (!oracle::data_folder()) STEELYARD_SKIP_WITHOUT_DATA();
  ::setenv("STEELYARD_DATA", oracle::data_folder()->c_str(), 1);
  Study study = read_study(kSource + "/examples/" + GetParam());
  study.cutoff.position.reset();
  study.prepare.decimation = kAutomatic;
  double chosen = 0;
  const PreparationSummary found = choose(study, &chosen);
  double best = kInfinity;
  for (const double cutoff : {2.0, 5.0, 10.0, 20.0}) {
    const double score = score_at(found, cutoff);
    ASSERT_GT(score, 0) << cutoff << " Hz was not tried";
    best = std::min(best, score);
  }
  ASSERT_GT(score_at(found, chosen), 0);
  EXPECT_LE(score_at(found, chosen), 1.05 * best) << found.choice;
  EXPECT_NE(found.choice.find("passes"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Logs, CutoffOnRealLogs,
                         testing::Values("panda-identify/study.yaml", "ur10-real/linear.yaml",
                                         "tx40-real/study.yaml", "lwr4-real/study.yaml"));

Study demo(double encoder_noise, double rate) {
  Study study = read_study(kSource + "/examples/demo/study.yaml");
  study.runs.resize(1);
  SimulateOptions& options = study.runs[0].simulation->options;
  options.rate = rate;
  options.quantum.resize(0);
  options.position_noise = VectorXd::Constant(1, encoder_noise);
  return study;
}

TEST(Cutoff, IsLowerWithNoisierEncoders) {
  double quiet = 0, noisy = 0;
  choose(demo(1e-6, 200), &quiet);
  choose(demo(1e-3, 200), &noisy);
  EXPECT_LT(noisy, quiet);
  EXPECT_LE(noisy, 5);
}

TEST(Cutoff, IsRefusedForRunsThatAreTooShort) {
  Study study = demo(1e-6, 200);
  study.runs[0].simulation->options.samples = 8;
  EXPECT_THROW(choose(study), InputError);
}

TEST(Cutoff, OfAStudyIsKeptInItsResultWithItsTable) {
  Study study = demo(1e-6, 200);
  study.cutoff.automatic = true;
  study.intervals.bias_check = false;
  const Result result = run_study(study).result;
  ASSERT_TRUE(result.preparation.cutoff.has_value());
  EXPECT_GT(score_at(result.preparation, *result.preparation.cutoff), 0);
  EXPECT_TRUE(
      std::is_sorted(result.preparation.candidates.begin(), result.preparation.candidates.end(),
                     [](const CutoffCandidate& a, const CutoffCandidate& b) { return a.cutoff < b.cutoff; }));
  // A scan of the runs, four passes a candidate, and those of the study itself.
  EXPECT_GE(result.passes, static_cast<int>(4 * result.preparation.candidates.size() + 3));
}

}  // namespace
}  // namespace steelyard
