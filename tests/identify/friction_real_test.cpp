// Nonlinear friction on real logs, with the bounds it must keep. Public data, found through STEELYARD_DATA.
#include <gtest/gtest.h>

#include "oracle/data_folder.hpp"
#include "steelyard/identify/run.hpp"

namespace steelyard {
namespace {

// Intervals need many refits and further passes; nothing here looks at them.
Study example_without_intervals(const std::string& name) {
  ::setenv("STEELYARD_DATA", oracle::data_folder()->c_str(), 1);
  Study study = read_study(std::string(STEELYARD_SOURCE_DIR) + "/examples/" + name + ".yaml");
  study.intervals.method = IntervalMethod::classical;
  study.intervals.bias_check = false;
  return study;
}

// The second run is not measured: its torques are those of the authors' own model.
TEST(FrictionOnRealLogs, Ur10SigmoidIsMuchBetterThanLinear) {
  if (!oracle::data_folder()) STEELYARD_SKIP_WITHOUT_DATA();
  const Result result = run_study(example_without_intervals("ur10-real/study")).result;
  EXPECT_LE(result.residual.prepared, 0.043);
  ASSERT_TRUE(result.cross_validation);
  EXPECT_EQ(result.cross_validation->blocks, 10);
  EXPECT_LE(result.cross_validation->residual.prepared, 0.064);
  ASSERT_EQ(result.validation.size(), 2u);
  EXPECT_TRUE(result.validation[1].fresh);
  EXPECT_LE(result.validation[1].residual.prepared, 0.08);
  ASSERT_EQ(result.drives.size(), 6u);
  for (const DriveValues& drive : result.drives) {
    ASSERT_TRUE(drive.friction) << drive.joint;
    EXPECT_EQ(drive.friction->model, "sigmoid") << drive.joint;
    EXPECT_GT(drive.friction->parameters.at("phi1"), 0);
    EXPECT_GT(drive.friction->parameters.at("phi2"), 0);
    EXPECT_GT(drive.friction->sigma.at("phi2"), 0);
  }
}

TEST(FrictionOnRealLogs, Ur10FormsAreChosenOnHeldOutBlocks) {
  if (!oracle::data_folder()) STEELYARD_SKIP_WITHOUT_DATA();
  Study study = example_without_intervals("ur10-real/study");
  study.runs.pop_back();
  study.drive_spec.friction = FrictionSpec{true, FrictionForm::linear, true, true, true};
  const Result result = run_study(study).result;
  EXPECT_LE(result.residual.prepared, 0.043);
  int sigmoids = 0;
  for (const DriveValues& drive : result.drives) {
    ASSERT_TRUE(drive.friction);
    EXPECT_FALSE(drive.friction->reason.empty());
    sigmoids += drive.friction->model == "sigmoid";
  }
  EXPECT_GE(sigmoids, 4);
}

TEST(FrictionOnRealLogs, PandaSigmoidIsNoWorseThanLinearOnHeldOutBlocks) {
  if (!oracle::data_folder()) STEELYARD_SKIP_WITHOUT_DATA();
  Study sigmoid = example_without_intervals("panda-identify/sigmoid");
  sigmoid.prepare.creep = 0;  // the same rows for both
  Study linear = sigmoid;
  linear.drive_spec.friction.reset();
  linear.drives = {true, true, true, false};
  const Result curved = run_study(sigmoid).result, straight = run_study(linear).result;
  // Five stretches of the run, the same for both.
  for (const Result* result : {&curved, &straight}) {
    EXPECT_EQ(result->cross_validation->blocks, 5);
    EXPECT_EQ(result->cross_validation->by, "index");
  }
  EXPECT_LE(curved.cross_validation->residual.prepared, straight.cross_validation->residual.prepared);
  EXPECT_LE(curved.cross_validation->residual.prepared, 0.0115);
  // Joints whose sigmoid is a step to these samples are said so.
  int degenerate = 0;
  for (const Finding& finding : curved.findings) degenerate += finding.code == "friction-degenerate";
  int linear_joints = 0;
  for (const DriveValues& drive : curved.drives) linear_joints += drive.friction->model == "linear";
  EXPECT_EQ(degenerate, linear_joints);
}

}  // namespace
}  // namespace steelyard
