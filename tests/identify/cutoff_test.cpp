// The automatic cut-off where it must be on logs made up for it.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "steelyard/identify/run.hpp"
#include "steelyard/identify/setup.hpp"
#include "steelyard/robot/read.hpp"

namespace steelyard {
namespace cutoff_test {

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

// An effort of 9 Hz that no motion of the arm explains, 15 % of the whole. Coarse positions keep the cut-off low.
Study with_ripple() {
  const Robot robot = read_robot(kSource + "/robots/two_r.yaml").robot;
  RandomMotion motion;
  motion.center = VectorXd::Zero(2);
  motion.reach = VectorXd::Constant(2, 1.2);
  motion.period = 10;
  SimulateOptions options;
  options.rate = 200;
  options.samples = 8000;
  options.position_noise = VectorXd::Constant(2, 1e-3);
  Run run = simulate(robot, true_parameters(robot), random_multi_sine(motion, 6), options);
  SampleBlock& samples = run.samples;
  const int torque = samples.find(channel::kTorque);
  for (Index j = 0; j < 2; ++j) {
    Eigen::Map<VectorXd> effort(samples.row(torque, j), samples.size());
    const double size = 0.15 * std::sqrt(2 * effort.squaredNorm() / static_cast<double>(samples.size()));
    for (Index s = 0; s < samples.size(); ++s)
      effort[s] += size * std::sin(2 * M_PI * 9 * samples.time()[s] + static_cast<double>(j));
  }
  Study study;
  study.robot = robot;
  study.runs = {run_from_samples("ripple", std::move(run))};
  study.prepare.filter = {4, 1};
  study.prepare.column_filter = {4, 1};
  study.cutoff.automatic = true;
  study.intervals.bias_check = false;
  study.cross.emplace();
  return study;
}

// Below the cut-off there is no ripple to explain: the verdict counts it all the same.
TEST(BandOfTheLog, IsWhereTheVerdictIsJudged) {
  Study study = with_ripple();
  const Result result = run_study(study).result;
  ASSERT_TRUE(result.preparation.band && result.residual.band);
  EXPECT_LT(*result.preparation.cutoff, 9);
  EXPECT_NEAR(*result.preparation.band, 9, 0.5);
  EXPECT_LT(result.residual.prepared, 0.5 * *result.residual.band);
  EXPECT_NEAR(*result.residual.band, 0.15, 0.015);  // the filter passes 94 % at the band's end
  EXPECT_THAT(result.verdict.reasons, testing::Contains(testing::HasSubstr("; at the band of the log, 9")));
  const Result again = validate_study(study, result).result;
  ASSERT_TRUE(again.validation.at(0).residual.band);
  EXPECT_NEAR(*again.validation[0].residual.band, *result.residual.band, 1e-9);
  // A cut-off that the study gives is not questioned.
  study.cutoff.automatic = false;
  EXPECT_FALSE(run_study(study).result.residual.band);
}

}  // namespace cutoff_test
}  // namespace steelyard
