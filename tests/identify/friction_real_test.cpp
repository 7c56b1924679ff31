// Nonlinear friction on real logs, with the bounds it must keep. Public data, found through STEELYARD_DATA.
#include <gtest/gtest.h>

#include <cstdio>

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

// The same rows for every form: none is left out at standstill.
TEST(FrictionOnRealLogs, Ur10FormsAreChosenOnHeldOutBlocks) {
  if (!oracle::data_folder()) STEELYARD_SKIP_WITHOUT_DATA();
  Study study = example_without_intervals("ur10-real/study");
  study.drive_spec.friction = FrictionSpec{true, FrictionForm::linear, true, true, true};
  study.standstill.share = 0;
  const Result result = run_study(study).result;
  ASSERT_TRUE(result.cross_validation);
  const ResidualSummary& held_out = result.cross_validation->residual;
  EXPECT_LE(held_out.prepared, 0.045);
  ASSERT_EQ(held_out.per_joint.size(), 6u);
  EXPECT_EQ(held_out.per_joint[1].name, "shoulder_lift_joint");
  EXPECT_LE(*held_out.per_joint[1].prepared, 0.023);
  ASSERT_EQ(result.validation.size(), 2u);
  EXPECT_LE(result.validation[1].residual.prepared, 0.078);
  int sigmoids = 0, loads = 0;
  for (const DriveValues& drive : result.drives) {
    ASSERT_TRUE(drive.friction);
    EXPECT_FALSE(drive.friction->reason.empty());
    std::printf("%s: %s %s, %s\n", drive.joint.c_str(), drive.friction->model.c_str(),
                drive.friction->load.c_str(), drive.friction->reason.c_str());
    sigmoids += drive.friction->model == "sigmoid";
    loads += !drive.friction->load.empty();
  }
  EXPECT_GE(sigmoids, 4);
  EXPECT_FALSE(result.drives[1].friction->load.empty());
  EXPECT_NE(result.drives[1].friction->reason.find("without load"), std::string::npos);
  EXPECT_LE(loads, 3);
}

// All logs of robots whose torque sensors sit behind the gears: no gear is seen to take of its load. `auto` finds none, and forced in it changes next to
// nothing of what is left on blocks held out.
TEST(FrictionOnRealLogs, NoLoadFrictionWhereTorqueSensorsSitBehindTheGear) {
  if (!oracle::data_folder()) STEELYARD_SKIP_WITHOUT_DATA();
  for (const char* name : {"panda-identify/study", "lwr4-real/study"}) {
    Study study = example_without_intervals(name);
    study.feasible.reset();
    for (StudyRun& run : study.runs) run.file.label.role = RunRole::fit;
    study.cross = CrossOptions{};
    study.cross->by_phase = false;
    study.standstill.share = 0;
    const auto held_out = [&](const FrictionSpec& friction, bool may_load) {
      study.drive_spec.friction = friction;
      const Result result = run_study(study).result;
      for (const DriveValues& drive : result.drives)
        if (!may_load && drive.friction) {
          EXPECT_EQ(drive.friction->load, "") << name << " " << drive.joint;
        }
      return result.cross_validation->residual.prepared;
    };
    const double linear = held_out({false, FrictionForm::linear, true, true, true}, false),
                 forced = held_out({false, FrictionForm::linear, true, true, true, LoadFriction::load}, true),
                 chosen = held_out({true, FrictionForm::linear, true, true, true}, false);
    std::printf("%s: linear %.4f %%, load forced in %.4f %%, auto %.4f %%\n", name, 100 * linear,
                100 * forced, 100 * chosen);
    EXPECT_NEAR(forced / linear, 1, 0.02) << name;
    EXPECT_LE(chosen, 1.01 * linear) << name;
  }
}

TEST(FrictionOnRealLogs, PandaSigmoidIsNoWorseThanLinearOnHeldOutBlocks) {
  if (!oracle::data_folder()) STEELYARD_SKIP_WITHOUT_DATA();
  Study sigmoid = example_without_intervals("panda-identify/sigmoid");
  sigmoid.standstill.share = 0;  // the same rows for both
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
