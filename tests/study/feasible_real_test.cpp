// Feasible fits of the real logs: inside the bounds, close to least squares on what was fitted, and better
// than it on motions that were not. Public data, found through STEELYARD_DATA.
#include <gtest/gtest.h>

#include "oracle/data_folder.hpp"
#include "steelyard/study/run_study.hpp"

namespace steelyard {
namespace {

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
  expect_sound(result, 1.10);
  EXPECT_LE(result.feasible->residual->prepared, 0.0108);
  EXPECT_LE(result.feasible->cross_validation->residual.prepared, 0.013);
  ASSERT_EQ(result.links.size(), 7u);
}

// Least squares follows these short runs into bodies that cannot exist: the best feasible fit, proven to be
// so, is 16 % above it on the fitted motion and far below on the other.
TEST(FeasibleRealLogs, LwrFreshMotionIsPredictedMuchBetterThanByLeastSquares) {
  if (!oracle::data_folder()) STEELYARD_SKIP_WITHOUT_DATA();
  Study study = example_study("lwr4-real/study");
  ASSERT_TRUE(study.feasible);
  const Result pulled = run_study(study).result;
  expect_sound(pulled, 1.20);
  EXPECT_LE(pulled.validation[2].feasible->prepared, 0.047);
  study.feasible->pull = {};
  const Result result = run_study(study).result;
  expect_sound(result, 1.17);
  EXPECT_LE(*result.feasible->gap, 1e-3);
  EXPECT_GE(result.validation[2].residual.prepared, 0.10);
  EXPECT_LE(result.validation[2].feasible->prepared, 0.050);
}

TEST(FeasibleRealLogs, LwrRunThreePredictsRunOne) {
  if (!oracle::data_folder()) STEELYARD_SKIP_WITHOUT_DATA();
  const Result result = run_study(example_study("lwr4-real/three-to-one")).result;
  expect_sound(result, 1.35);
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
    expect_sound(run_study(study).result, 1.02);
  }
}

}  // namespace
}  // namespace steelyard
