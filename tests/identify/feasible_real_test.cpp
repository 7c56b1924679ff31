// Feasible fits of the real logs: inside the bounds, close to least squares on what was fitted, and better
// than it on motions that were not. Public data, found through STEELYARD_DATA.
#include <gtest/gtest.h>
#include <unistd.h>

#include "feasible/csdp.hpp"
#include "oracle/data_folder.hpp"
#include "steelyard/feasible/convex.hpp"
#include "steelyard/identify/run.hpp"

namespace steelyard {
namespace feasible_real_test {

const std::string kSource = STEELYARD_SOURCE_DIR;

Study example_study(const std::string& name) {
  ::setenv("STEELYARD_DATA", oracle::data_folder()->c_str(), 1);
  return read_study(kSource + "/examples/" + name + ".yaml");
}

// Every link a body, every constraint kept, and the training residual at most `share` of least squares'.
void expect_sound(const Result& result, double share) {
  ASSERT_TRUE(result.feasible);
  ASSERT_TRUE(result.feasible->residual);
  EXPECT_TRUE(result.feasible->violated.empty());
  EXPECT_TRUE(result.feasible->conflict.empty());
  for (const ConstraintMargin& constraint : result.feasible->constraints)
    // Links that touch the cone: the smallest eigenvalue is zero to some roundings of the largest.
    EXPECT_GE(constraint.margin.value_or(-1), -1e-12) << constraint.name;
  for (const LinkValues& link : result.links) EXPECT_GT(link.margin, 0) << link.name;
  EXPECT_LE(result.feasible->residual->prepared, share * result.residual.prepared);
  EXPECT_GE(*result.feasible->moved_sigma, 0);
}

TEST(FeasibleRealLogs, PandaInsideThePublishedBounds) {
  if (!oracle::data_folder()) STEELYARD_SKIP_WITHOUT_DATA();
  const Result result = run_study(example_study("panda-identify/study")).result;
  expect_sound(result, 1.13);  // bodies and the pull
  EXPECT_LE(result.feasible->residual->prepared, 0.0108);
  EXPECT_LE(result.feasible->cross_validation->residual.prepared, 0.013);
  ASSERT_EQ(result.links.size(), 7u);
}

// What bodies cost on the fitted rows: √(min over P_j ⪰ 0 of ‖Y x − τ‖² / min over all x), by our method and
// by CSDP's multipliers. Nothing else is asked for: no margin, no drive of any sign, links of up to 50 kg.
struct PriceOfBodies {
  double attained = 0;  // by our x
  double ours = 0;      // no less, by our certificate
  double csdp = 0;      // no less, by CSDP's
};

PriceOfBodies price_of_bodies(const std::string& name) {
  const Study study = example_study(name);
  const Robot robot = study_robot(study);
  const BaseParameters base = base_parameters(robot);
  std::vector<Fold> folds;
  const std::vector<FoldedRun> files = fold_study(study);
  for (std::size_t r = 0; r < files.size(); ++r)
    if (study.runs[r].file.label.role == RunRole::fit)
      for (const FoldBlock& block : files[r].blocks)
        for (const Fold& fold : block.all()) folds.push_back(fold);
  const Estimate plain = estimate(folds);
  const Quantities quantities = quantities_of(robot, base, plain.factor);
  const Objective objective = torque_objective(plain.factor, base, quantities);
  const double smallest = std::pow(plain.totals.front().norm, 2);

  std::vector<Constraint> constraints = physical_constraints(robot, quantities, {0, true, false, false});
  feasible_test::Sdp sdp;
  feasible_test::add_bodies(link_lengths(robot), 0, sdp);
  for (int link = 0; link < robot.size(); ++link) {
    constraints.push_back({"mass " + std::to_string(link), Bound{"m" + std::to_string(link + 1), 0, 50}, {}});
    for (const int k : {0, 4, 7, 9}) {  // 50 kg, and 50 kg m² for CSDP's sake
      Eigen::VectorXd a = Eigen::VectorXd::Zero(quantities.size());
      a[10 * link + k] = -1;
      sdp.rows.emplace_back(a, 50);
    }
  }
  const ConvexSolution ours = solve_convex(objective, constraints, robot);
  PriceOfBodies out;
  out.attained = std::sqrt(ours.value / smallest);
  out.ours = std::sqrt(ours.lower_bound / smallest);
  const double factor = std::sqrt(10 / ours.value);  // CSDP stops at 1e-8 (1 + value)
  sdp.R = factor * objective.R;
  sdp.z = factor * objective.z;
  feasible_test::scale_columns(sdp);
  const feasible_test::SdpAnswer theirs = feasible_test::solve_with_csdp(sdp, "lwr");
  EXPECT_TRUE(theirs.solved) << theirs.text;
  out.csdp = std::sqrt((theirs.bound / (factor * factor) + objective.constant) / smallest);
  return out;
}

// Least squares follows these short runs into bodies that cannot exist. The best that any bodies reach is 15
// % above it for runs 1 and 2 and 30 % for run 3: no choice of margin, weights or drive terms comes within 10
// %.
TEST(FeasibleRealLogs, LwrBodiesOfAnyKindCannotComeWithinTenPercentOfLeastSquares) {
  if (!oracle::data_folder()) STEELYARD_SKIP_WITHOUT_DATA();
  if (!feasible_test::csdp_is_there()) GTEST_SKIP() << "csdp is not installed (package coinor-csdp)";
  const PriceOfBodies fit = price_of_bodies("lwr4-real/study");
  const PriceOfBodies faster = price_of_bodies("lwr4-real/three-to-one");
  EXPECT_GE(fit.csdp, 1.14);
  EXPECT_GE(faster.csdp, 1.30);
  for (const PriceOfBodies& price : {fit, faster}) {
    // CSDP ends at 1e-8 of scaled squares of ten, ours at a gap of 1e-7.
    EXPECT_NEAR(price.attained, price.csdp, 1e-5);
    EXPECT_LE(price.ours, price.attained);
    EXPECT_NEAR(price.ours, price.attained, 1e-6);
  }
}

TEST(FeasibleRealLogs, LwrFreshMotionIsPredictedMuchBetterThanByLeastSquares) {
  if (!oracle::data_folder()) STEELYARD_SKIP_WITHOUT_DATA();
  Study study = example_study("lwr4-real/study");
  ASSERT_TRUE(study.feasible);
  const Result pulled = run_study(study).result;
  expect_sound(pulled, 1.25);  // bodies and the pull
  EXPECT_LE(pulled.validation[2].feasible->prepared, 0.047);
  study.feasible->pull = {};
  const Result result = run_study(study).result;
  expect_sound(result, 1.25);
  EXPECT_LE(*result.feasible->gap, 1e-3);
  EXPECT_GE(result.validation[2].residual.prepared, 0.10);
  EXPECT_LE(result.validation[2].feasible->prepared, 0.050);
}

TEST(FeasibleRealLogs, LwrRunThreePredictsRunOne) {
  if (!oracle::data_folder()) STEELYARD_SKIP_WITHOUT_DATA();
  const Result result = run_study(example_study("lwr4-real/three-to-one")).result;
  expect_sound(result, 1.5);
  EXPECT_LE(*result.feasible->gap, 1e-3);
  EXPECT_LE(result.validation[1].feasible->prepared, 0.035);
}

// Studies without `feasible:` get the default of it.
TEST(FeasibleRealLogs, Ur10AndTx40StayCloseToLeastSquares) {
  if (!oracle::data_folder()) STEELYARD_SKIP_WITHOUT_DATA();
  for (const char* name : {"ur10-real/linear", "tx40-real/study"}) {
    Study study = example_study(name);
    if (!study.feasible) study.feasible = FeasibleSpec{};
    study.cross.reset();
    expect_sound(run_study(study).result, 1.08);  // bodies and the pull
  }
}

}  // namespace feasible_real_test
}  // namespace steelyard
