// The automatic cut-off where it must be on logs made up for it.
#include <gtest/gtest.h>

#include <algorithm>

#include "steelyard/identify/run.hpp"
#include "steelyard/identify/setup.hpp"

namespace steelyard {
namespace {

const std::string kSource = STEELYARD_SOURCE_DIR;

// The steps up to the choice.
CutoffChoice choose(Study study, double* chosen = nullptr) {
  study.cutoff.automatic = true;
  if (study.prepare.filter.cutoff <= 0) study.prepare.filter.cutoff = 1;
  const StudyOptions options;
  StudyClock clock(options);
  const Setup setup = with_cutoff(open_robot({&study, &options, &clock}));
  if (chosen != nullptr)
    *chosen = setup.prepare.column_filter.cutoff > 0 ? setup.prepare.column_filter.cutoff
                                                     : setup.prepare.filter.cutoff;
  return setup.cutoff;
}

double score_at(const std::vector<CutoffCandidate>& candidates, double cutoff) {
  for (const CutoffCandidate& candidate : candidates)
    if (candidate.cutoff == cutoff) return candidate.score;
  return -1;
}

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
  EXPECT_GT(score_at(result.preparation.candidates, *result.preparation.cutoff), 0);
  EXPECT_TRUE(
      std::is_sorted(result.preparation.candidates.begin(), result.preparation.candidates.end(),
                     [](const CutoffCandidate& a, const CutoffCandidate& b) { return a.cutoff < b.cutoff; }));
  // A scan of the runs, four passes a candidate, and those of the study itself.
  EXPECT_GE(result.passes, static_cast<int>(4 * result.preparation.candidates.size() + 3));
}

// Validation filters as the model was fitted, and a log without a fit run has nothing to choose by.
TEST(Cutoff, OfAValidationIsThatOfTheModel) {
  Study study = demo(1e-5, 200);
  study.cutoff.automatic = true;
  study.intervals.bias_check = false;
  const Result model = run_study(study, {}).result;
  ASSERT_TRUE(model.preparation.cutoff);
  const double left = validate_study(study, model, {}).result.validation.at(0).residual.prepared;
  EXPECT_NEAR(left / model.residual.prepared, 1, 1e-9);
  const double cutoff = *model.preparation.cutoff;
  study.cutoff.automatic = false;
  study.prepare.column_filter.cutoff = cutoff;
  study.prepare.filter.cutoff = 2 * cutoff;
  EXPECT_EQ(validate_study(study, model, {}).result.validation.at(0).residual.prepared, left);
}

// Blocks are longer than the filters' memory, or there are none to leave out: no row left out is no proof.
TEST(Cutoff, CrossValidationHasRowsAtLowOnes) {
  for (const double seconds : {12.0, 1.5}) {
    Study study = read_study_text(
        "robot: " + kSource +
            "/robots/two_r.yaml\nruns:\n  - label: made\n    simulate:\n      rate: 200\n      effort_noise: "
            "0.5\n      motion: {multi_sine: {harmonics: 3, period: 3, duration: " +
            std::to_string(seconds) +
            ", center: [0, 0], reach: 1.5, seed: 3}}\n"
            "prepare: {filter: {order: 4, cutoff: 2}, columns: filtered, trim: 0}\n"
            "estimate: {intervals: {method: classical, bias_check: false}}\n"
            "validate: {cross: {blocks: 10, by: phase}}\nreport: false\n",
        "study.yaml");
    const Result result = run_study(study, {}).result;
    if (seconds > 2) {
      ASSERT_TRUE(result.cross_validation);
      EXPECT_GT(result.cross_validation->residual.prepared, result.residual.prepared);
    } else {
      EXPECT_FALSE(result.cross_validation);
      EXPECT_TRUE(std::any_of(result.unavailable.begin(), result.unavailable.end(),
                              [](const std::string& s) { return s.find("cross_validation: ") == 0; }));
    }
  }
}

}  // namespace
}  // namespace steelyard
