// A simulated robot's parameters come back: exactly from exact motions, closely through filters and
// differences.
#include <gtest/gtest.h>

#include "identify/true_base.hpp"
#include "steelyard/identify/run.hpp"
#include "steelyard/regressor/base.hpp"

namespace steelyard {
namespace truth_test {

const std::string kSource = STEELYARD_SOURCE_DIR;

// The demo's study, without noise.
Study clean_demo() {
  Study study = read_study(kSource + "/examples/demo/study.yaml");
  for (StudyRun& run : study.runs) {
    run.simulation->options.effort_noise.resize(0);
    run.simulation->options.quantum.resize(0);
  }
  return study;
}

// Largest error of the 64 values against the parameters the simulation was made with, over the largest of
// them.
double error_against_truth(const Study& study, const Result& result) {
  const Robot robot = study_robot(study);
  const BaseParameters base = base_parameters(robot);
  const VectorXd expected = true_base(study, robot, base);
  double error = 0;
  for (std::size_t b = 0; b < result.base.size(); ++b)
    error = std::max(error, std::abs(result.base[b].value - expected[static_cast<Index>(b)]));
  return error / expected.cwiseAbs().maxCoeff();
}

TEST(Truth, ComesBackToTenDigitsFromExactMotionsWithoutFilter) {
  Study study = clean_demo();
  for (StudyRun& run : study.runs) {
    run.simulation->options.velocity = VelocityChannel::exact;
    run.simulation->options.acceleration = true;
  }
  study.prepare.filter.cutoff = 0;
  study.prepare.column_filter.cutoff = 0;
  const Result result = run_study(study).result;
  ASSERT_EQ(result.base.size(), 64u);
  EXPECT_LT(error_against_truth(study, result), 1e-10);
  EXPECT_LT(result.residual.prepared, 1e-10);
  EXPECT_LT(*result.residual.raw, 1e-10);
}

TEST(Truth, ComesBackToFourDigitsThroughFiltersAndDifferencesAtOneKilohertz) {
  const Study study = clean_demo();
  const Result result = run_study(study).result;
  EXPECT_LT(error_against_truth(study, result), 1e-4);
}

TEST(Truth, IsCoveredByIntervalsAtTheDemosNoise) {
  const Study study = read_study(kSource + "/examples/demo/study.yaml");
  const Result result = run_study(study).result;
  const Robot robot = study_robot(study);
  EXPECT_EQ(result.verdict.level, VerdictLevel::good);
  EXPECT_LT(error_against_truth(study, result), 0.01);
  for (const BaseValue& value : result.base) EXPECT_EQ(value.status, "determined") << value.name;
}

TEST(Study, OneTwoAndFourThreadsGiveTheSameBytes) {
  Study study = read_study(kSource + "/examples/demo/study.yaml");
  study.prepare.chunk_size = 8192;  // several chunks
  StudyOptions options;
  options.threads = 1;
  const std::string one = to_json(run_study(study, options).result);
  for (int threads : {2, 4}) {
    options.threads = threads;
    EXPECT_EQ(to_json(run_study(study, options).result), one) << threads << " threads";
  }
}

TEST(Study, APriorPullsWhatTheDataDoNotSayAndLeavesTheRest) {
  Study study = clean_demo();
  study.prior = {true, 1e-6};
  EXPECT_LT(error_against_truth(study, run_study(study).result), 1e-4);
  // A motion of the last joint alone does not identify most parameters: the prior's values replace them.
  RandomMotion motion;
  motion.center = VectorXd::Zero(7);
  motion.center[3] = -1.5;
  motion.center[5] = 1.5;
  motion.reach = VectorXd::Constant(7, 1e-9);
  motion.reach[6] = 1;
  study.runs.resize(1);
  study.runs[0].simulation->motion = motion;
  study.standstill.keep =
      true;  // joints that move by 1e-9 rad have friction with a direction in the simulation
  study.cross.reset();
  study.estimate.weighting = Weighting::none;
  const Result result = run_study(study).result;
  const Robot robot = study_robot(study);
  const BaseParameters base = base_parameters(robot);
  VectorXd standard = VectorXd::Zero(static_cast<Index>(base.columns.size()));
  standard.head(10 * robot.size()) = standard_parameters(robot);
  const VectorXd expected = base.K * standard;
  // The inertias of links 1 and 2 hardly act here; without the prior they come out above 1e4. What a thousand
  // samples of motions of 1e-9 rad say against a weight of 1e-6 is below 1e-3.
  for (std::size_t b = 0; b < 5; ++b)
    EXPECT_NEAR(result.base[b].value, expected[static_cast<Index>(b)], 1e-3) << result.base[b].name;
}

}  // namespace truth_test
}  // namespace steelyard
