// The automatic cut-off where it must be on logs made up for it.
#include <gtest/gtest.h>

#include <algorithm>

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
