// Mistakes of our own are seen: a result that is wrong in any of its parts fails its self-check.
#include "identify/self_check.hpp"

#include <gmock/gmock.h>

#include "identify/checks.hpp"
#include "oracle/random_robot.hpp"
#include "steelyard/identify/run.hpp"
#include "steelyard/robot/read.hpp"

namespace steelyard {
namespace self_check_test {

using testing::ElementsAre;

const std::string kSource = STEELYARD_SOURCE_DIR;

// A demo as far as the estimate.
class SelfChecked : public testing::Test {
 protected:
  SelfChecked()
      : study_(first_run(read_study(kSource + "/examples/demo/study.yaml"))),
        clock_(options_),
        setup_(open_robot({&study_, &options_, &clock_})),
        runs_(open_runs(setup_)) {
    folded_.runs = fold_runs(setup_, runs_, {});
    fit_ = fit_rows(setup_, runs_, folded_.runs);
  }
  static Study first_run(Study study) {
    study.runs.resize(1);
    return study;
  }
  std::vector<std::string> failed() {
    checks_ = check_itself(setup_, folded_, fit_, {});
    std::vector<std::string> names;
    for (const SelfCheck& check : checks_.checks)
      if (!check.passed()) names.push_back(check.what);
    EXPECT_EQ(checks_.findings.size(), names.size());
    for (const Finding& finding : checks_.findings) {
      EXPECT_EQ(finding.code, "self-check-failed");
      EXPECT_EQ(finding.severity, Severity::error);  // makes the verdict not trustworthy
    }
    return names;
  }

  Study study_;
  StudyOptions options_;
  StudyClock clock_;
  steelyard::Setup setup_;
  Runs runs_;
  Folded folded_;
  Fit fit_;
  SelfChecks checks_;
};

TEST_F(SelfChecked, NothingFailsWhereNothingIsWrong) {
  EXPECT_THAT(failed(), ElementsAre());
  EXPECT_EQ(checks_.checks.size(), 3u);  // no bodies
}

TEST_F(SelfChecked, AValueThatIsNotTheBestFitFails) {
  fit_.estimated.values[3] *= 1 + 1e-4;
  EXPECT_THAT(failed(), ElementsAre("gradient"));
}

TEST_F(SelfChecked, FoldsOfOtherRowsFail) {
  std::vector<Residual> folded =
      residuals(fit_folds(folded_.runs), fit_.estimated.columns, fit_.estimated.values).per_row;
  std::vector<RowSums> sums;
  for (const Residual& row : folded)
    sums.push_back({static_cast<long double>(row.norm) * row.norm,
                    static_cast<long double>(row.effort) * row.effort, row.rows});
  EXPECT_LT(rows_difference(folded, sums), 1e-15);
  sums[2].effort *= 1 + 1e-5L;
  EXPECT_GT(rows_difference(folded, sums), 1e-9);
  sums[2].effort /= 1 + 1e-5L;
  --sums[4].rows;
  EXPECT_EQ(rows_difference(folded, sums), 1);
}

// Joints that hardly move: values beyond 1e9 whose terms cancel.
TEST(SelfCheck, RoundingOfBadlyDeterminedValuesIsNoFault) {
  Study study;
  study.robot = read_robot(STEELYARD_SOURCE_DIR "/robots/kr5.yaml").robot;
  study.intervals.method = IntervalMethod::classical;
  study.intervals.bias_check = false;
  study.cross.reset();
  study.drives = {true, true, true};
  RandomMotion motion;
  motion.period = 2;
  motion.harmonics = 4;
  motion.center = VectorXd::Zero(6);
  motion.reach = VectorXd::Constant(1, 1e-5);
  SimulateOptions options;
  options.rate = 20;
  options.effort_noise = VectorXd::Constant(1, 5);
  options.velocity = VelocityChannel::none;
  study.runs.push_back(run_from_samples("small", simulate(*study.robot, true_parameters(*study.robot),
                                                          random_multi_sine(motion, 99), options)));
  const Result result = run_study(study).result;
  double largest = 0;
  for (const BaseValue& value : result.base) largest = std::max(largest, std::abs(value.value));
  EXPECT_GT(largest, 1e9);
  for (const SelfCheck& check : result.self_checks)
    EXPECT_TRUE(check.passed()) << check.what << ' ' << check.difference;
}

TEST(SelfCheck, AnotherModelThanTheRegressorsFails) {
  const Robot robot = oracle::random_robot(3);
  const Plan plan = make_plan(robot);
  VectorXd values = VectorXd::Zero(static_cast<Index>(plan.columns.size()));
  for (Index k = 0; k < values.size(); ++k) values[k] = 1 + 0.1 * static_cast<double>(k);
  EXPECT_LT(model_difference(robot, plan, values), 1e-12);
  Robot turned = robot;
  turned.gravity = Vector3(0.1, 0, -9.81);
  EXPECT_GT(model_difference(turned, plan, values), 1e-6);
}

TEST(SelfCheck, BodiesThatAreNotThoseClaimedFail) {
  // A rod of 2 kg and 0.6 m about its middle, margins of the scaled pseudo-inertia by hand: Σ = diag(l²/12 m,
  // ~0).
  LinkValues link;
  link.mass = 2;
  link.com = Vector3(0, 0, 0);
  const double along = 0.02, across = 0.03;  // second moments ∫x², ∫y² = ∫z²: J = (2·0.03, 0.05, 0.05)
  link.inertia_origin << 2 * across, 0, 0, along + across, 0, along + across;
  const VectorXd length = VectorXd::Constant(1, 0.5);
  link.margin = along / (link.mass * 0.25);
  EXPECT_LT(bodies_difference({link}, length), 1e-15);
  LinkValues claimed = link;
  claimed.margin += 1e-6;
  EXPECT_NEAR(bodies_difference({claimed}, length), 1e-6, 1e-12);
  LinkValues impossible = link;
  impossible.margin = -1;              // whatever it claims
  impossible.inertia_origin[0] = 0.2;  // more than the other two together
  EXPECT_GT(bodies_difference({impossible}, length), 1e-3);
  impossible = link;
  impossible.mass = 0;
  EXPECT_GE(bodies_difference({impossible}, length), 1);
  DriveValues drive;
  drive.values = {{"fv", 1.0}, {"fc", -0.1}};
  EXPECT_NEAR(drives_difference({drive}, {}), 1, 1e-12);
  DriveValues estimated;
  estimated.values = {{"fc", 2.0}};
  EXPECT_NEAR(drives_difference({drive}, {estimated}), 0.05, 1e-12);
  drive.values["fc"] = -1e-18;  // all frictions are zero, to rounding
  EXPECT_LT(drives_difference({drive}, {estimated}), 1e-15);
}

}  // namespace self_check_test
}  // namespace steelyard
