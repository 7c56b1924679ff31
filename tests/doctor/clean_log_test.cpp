// The doctor's findings in the public real logs as they are.
#include <gtest/gtest.h>

#include <algorithm>

#include "oracle/data_folder.hpp"
#include "real_logs.hpp"
#include "steelyard/doctor/doctor.hpp"
#include "steelyard/doctor/motion.hpp"
#include "steelyard/regressor/base.hpp"

namespace steelyard::testing {
namespace {

std::vector<Finding> findings_of(const RealLog& log) {
  Robot robot = log.robot;
  for (Joint& joint : robot.joints) joint.drive.viscous = joint.drive.coulomb = joint.drive.offset = true;
  BaseOptions base_options;
  base_options.expressions = false;
  const BaseParameters base = base_parameters(robot, base_options);
  DoctorOptions options;
  for (const int lead : base.lead) options.columns.push_back(base.columns[static_cast<std::size_t>(lead)]);
  return examine(robot, {{log.run.label, [&] { return view_run(log.run); }}}, options).findings;
}

bool has(const std::vector<Finding>& findings, const std::string& code, const std::string& joint = "") {
  return std::any_of(findings.begin(), findings.end(), [&](const Finding& finding) {
    return finding.code == code && (joint.empty() || finding.joint == joint);
  });
}

class CleanLog : public ::testing::TestWithParam<const char*> {};

TEST_P(CleanLog, HasNoError) {
  if (!oracle::data_folder()) STEELYARD_SKIP_WITHOUT_DATA();
  for (const Finding& finding : findings_of(real_log(GetParam()))) {
    EXPECT_NE(finding.severity, Severity::error)
        << finding.code << " " << finding.joint << " " << finding.evidence;
    EXPECT_NE(finding.code, "unexplained-effort") << finding.joint << " " << finding.evidence;
  }
}

INSTANTIATE_TEST_SUITE_P(RealLogs, CleanLog,
                         ::testing::Values("panda", "ur10", "tx40", "lwr1", "lwr2", "lwr3"),
                         [](const auto& test) { return std::string(test.param); });

TEST(RealLogs, PandaRepeatsElevenHundredRows) {
  if (!oracle::data_folder()) STEELYARD_SKIP_WITHOUT_DATA();
  const RealLog log = real_log("panda");
  const std::unique_ptr<SampleSource> source = view_run(log.run);
  const std::vector<LogJoint> joints = log_joints(log.robot);
  const SignalScan scan = scan_signals(*source, joints);
  EXPECT_EQ(scan.repeated_rows, 1131);
  EXPECT_TRUE(has(signal_findings(scan, joints, "panda"), "repeated-samples", "panda"));
}

TEST(RealLogs, KinovaHasADeadChannelAndTooLittleMotion) {
  if (!oracle::data_folder()) STEELYARD_SKIP_WITHOUT_DATA();
  const std::vector<Finding> findings = findings_of(real_log("kinova1"));
  EXPECT_TRUE(has(findings, "dead-channel", "joint_1"));
  EXPECT_TRUE(has(findings, "poor-excitation"));
  for (const char* name : {"kinova2", "kinova3"})
    EXPECT_TRUE(has(findings_of(real_log(name)), "poor-excitation"));
}

TEST(RealLogs, TiagoCannotShowItsWristAndItsLiftHasAnotherUnit) {
  if (!oracle::data_folder()) STEELYARD_SKIP_WITHOUT_DATA();
  const std::vector<Finding> findings = findings_of(real_log("tiago"));
  for (const char* joint : {"arm5", "arm6", "arm7"}) EXPECT_TRUE(has(findings, "effort-resolution", joint));
  // The lift's column is a raw number: its source adds the carried weight and converts it.
  std::string said;
  for (const Finding& finding : findings)
    if (finding.severity == Severity::error)
      said += finding.code + " " + finding.joint + ": " + finding.evidence + "\n";
  EXPECT_TRUE(has(findings, "effort-scale", "torso")) << said;
}

TEST(RealLogs, Kr300MovesTooLittle) {
  if (!oracle::data_folder()) STEELYARD_SKIP_WITHOUT_DATA();
  EXPECT_TRUE(has(findings_of(real_log("kr300")), "poor-excitation"));
}

TEST(RealLogs, LwrRunsOneAndTwoMakeOneMotionAndRunThreeAnother) {
  if (!oracle::data_folder()) STEELYARD_SKIP_WITHOUT_DATA();
  std::vector<CoarseRun> runs;
  for (const char* name : {"lwr1", "lwr2", "lwr3"}) {
    const RealLog log = real_log(name);
    const std::unique_ptr<SampleSource> source = view_run(log.run);
    const TimeScan time = scan_time(*source);
    runs.push_back(coarse_run(view_run(log.run), name, time));
  }
  EXPECT_LT(match_motions(runs[0], runs[1]).mismatch, kSameMotion);
  EXPECT_GT(match_motions(runs[0], runs[2]).mismatch, 3 * kSameMotion);
  EXPECT_GT(match_motions(runs[1], runs[2]).mismatch, 3 * kSameMotion);
}

}  // namespace
}  // namespace steelyard::testing
