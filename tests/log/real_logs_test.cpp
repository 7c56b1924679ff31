// The public logs, read and prepared; expected figures are those of the data sets' own descriptions.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "oracle/data_folder.hpp"
#include "steelyard/log/prepare.hpp"
#include "steelyard/log/source.hpp"
#include "steelyard/log/whole_run.hpp"

namespace steelyard {
namespace {

using std::numbers::pi;

std::vector<LogJoint> revolute(int count) {
  std::vector<LogJoint> joints;
  for (int j = 1; j <= count; ++j) joints.push_back({"joint" + std::to_string(j), JointKind::revolute});
  return joints;
}

RunFile joint_file(const std::filesystem::path& path) {
  RunFile file;
  file.path = path.string();
  file.channels = {{"position", {"q{j}_rad"}, {"rad"}, {}, {}, {}},
                   {"velocity", {"dq{j}_radps"}, {"rad/s"}, {}, {}, {}},
                   {"torque", {"tau{j}_Nm"}, {"N*m"}, {}, {}, {}}};
  return file;
}

struct Agreement {
  double slope = 0;  // best factor from the derived velocity to the logged one
  double correlation = 0;
};

// Logged velocity of a joint against the one from positions and stamps.
Agreement compare_velocities(const SampleBlock& logged, const SampleBlock& derived, Index joint, Index trim) {
  const double* a = logged.row(logged.find("velocity"), joint);
  const double* b = derived.row(derived.find("velocity"), joint);
  double aa = 0, ab = 0, bb = 0;
  for (Index i = trim; i < logged.size() - trim; ++i) {
    aa += a[i] * a[i];
    ab += a[i] * b[i];
    bb += b[i] * b[i];
  }
  return {ab / bb, ab / std::sqrt(aa * bb)};
}

TEST(RealLogs, PandaStampsAreIrregularAndAgreeWithItsVelocities) {
  const auto data = oracle::data_folder();
  if (!data) STEELYARD_SKIP_WITHOUT_DATA();
  const RunFile file = joint_file(*data / "franka_panda_gaz2019/panda_excitation_traj1.csv");
  PrepareOptions options;
  options.filter = {4, 10};
  PreparedRun measured(open_run(file, revolute(7)), {}, options);
  const TimeScan& time = measured.preparation().time;
  EXPECT_EQ(time.samples, 20544);
  EXPECT_NEAR(time.last - time.first, 21.0, 0.05);
  EXPECT_NEAR(time.shortest_step, 0.7e-3, 0.05e-3);
  EXPECT_NEAR(time.longest_step, 8.8e-3, 0.05e-3);
  EXPECT_NEAR(time.median_step, 1.0e-3, 0.05e-3);
  EXPECT_NEAR(time.mean_step, 1.022e-3, 0.001e-3);
  EXPECT_FALSE(time.is_uniform());
  options.measured_velocity = false;
  PreparedRun derived(open_run(file, revolute(7)), {}, options);
  const Index trim = derived.preparation().decimation.trim;
  const SampleBlock logged = whole_run(measured), from_positions = whole_run(derived);
  for (Index j = 0; j < 7; ++j) {
    const Agreement agreement = compare_velocities(logged, from_positions, j, trim);
    EXPECT_NEAR(agreement.slope, 1, 0.002) << "joint " << j + 1;
    EXPECT_GT(agreement.correlation, 0.9995) << "joint " << j + 1;
  }
}

TEST(RealLogs, Lwr4RunsAreAsDescribed) {
  const auto data = oracle::data_folder();
  if (!data) STEELYARD_SKIP_WITHOUT_DATA();
  for (const char* name : {"lwr4_hw1_200Hz.csv", "lwr4_hw2_200Hz.csv", "lwr4_hw3_200Hz.csv"}) {
    SCOPED_TRACE(name);
    const RunFile file = joint_file(*data / "kuka_lwr4_flobaroid" / name);
    PrepareOptions options;
    options.filter = {4, 8};
    PreparedRun measured(open_run(file, revolute(7)), {}, options);
    const TimeScan& time = measured.preparation().time;
    EXPECT_EQ(time.samples, 5027);
    EXPECT_NEAR(1 / time.mean_step, 200, 1);
    EXPECT_GT(time.shortest_step, 3.1e-3);
    EXPECT_LT(time.longest_step, 6.9e-3);
    options.measured_velocity = false;
    PreparedRun derived(open_run(file, revolute(7)), {}, options);
    const Index trim = derived.preparation().decimation.trim;
    const SampleBlock logged = whole_run(measured), from_positions = whole_run(derived);
    for (Index j = 0; j < 7; ++j) {
      EXPECT_GT(compare_velocities(logged, from_positions, j, trim).correlation, 0.9995) << "joint " << j + 1;
    }
  }
}

TEST(RealLogs, Tx40MotorColumnsBecomeJointAngles) {
  const auto data = oracle::data_folder();
  if (!data) STEELYARD_SKIP_WITHOUT_DATA();
  RunFile file;
  file.path = (*data / "staubli_tx40/tx40_excitation_5kHz.csv").string();
  file.channels = {{"motor_position", {"qm{j}_rad"}, {"rad"}, {}, {}, {}},
                   {"motor_torque", {"taum{j}_Nm"}, {"N*m"}, {}, {}, {}}};
  Transmission gears;
  gears.matrix = (VectorXd(6) << 32, 32, 45, -48, 45, 32).finished().asDiagonal();
  gears.matrix(5, 4) = 32;
  gears.zero = (VectorXd(6) << 0, -pi / 2, pi / 2, 0, 0, 0).finished();
  PrepareOptions options;
  options.filter = {4, 100};
  PreparedRun run(on_joint_side(open_run(file, revolute(6)), gears), {}, options);
  EXPECT_EQ(run.preparation().time.samples, 45000);
  EXPECT_EQ(run.preparation().grid.interpolation, Interpolation::none);
  EXPECT_NEAR(run.preparation().grid.step, 2e-4, 1e-10);
  const SampleBlock all = whole_run(run);
  ASSERT_EQ(all.size(), 45000);
  const double low[] = {-100, -94, -45, -240, -90, -200}, high[] = {120, 20, 120, 80, 108, 200};
  const double speed[] = {289, 289, 400, 415, 324, 666};
  for (Index j = 0; j < 6; ++j) {
    const double* q = all.row(all.find("position"), j);
    const double* qd = all.row(all.find("velocity"), j);
    const auto [least, most] = std::minmax_element(q, q + all.size());
    EXPECT_NEAR(*least * 180 / pi, low[j], 1.0) << "joint " << j + 1;
    EXPECT_NEAR(*most * 180 / pi, high[j], 1.0) << "joint " << j + 1;
    double top = 0;
    for (Index i = 0; i < all.size(); ++i) top = std::max(top, std::abs(qd[i]) * 180 / pi);
    EXPECT_NEAR(top, speed[j], 0.02 * speed[j]) << "joint " << j + 1;
  }
}

TEST(RealLogs, EveryLogOfTheDataSetsCanBeRead) {
  const auto data = oracle::data_folder();
  if (!data) STEELYARD_SKIP_WITHOUT_DATA();
  struct Log {
    const char* path;
    Index rows;
    int joints;
    const char* position;
  };
  const Log logs[] = {{"kuka_kr300/kr300_250Hz.csv", 2501, 6, "q_mot{j}_deg"},
                      {"kinova_gen3/gen3_opti_traj_testing1_1kHz.csv", 4740, 7, "q{j}_rad"},
                      {"kinova_gen3/gen3_opti_traj_testing2_1kHz.csv", 2294, 7, "q{j}_rad"},
                      {"kinova_gen3/gen3_RunTrajectory1_1kHz.csv", 1942, 7, "q{j}_rad"},
                      {"ur10_unisa/ur10_exciting_125Hz.csv", 3441, 6, "q{j}_rad"},
                      {"ur10_unisa/ur10_model_reference_125Hz.csv", 3441, 6, "q{j}_rad"},
                      {"tiago_figaroh/tiago_dynamic.csv", 8022, 7, "q_arm{j}_rad_or_m"}};
  for (const Log& log : logs) {
    SCOPED_TRACE(log.path);
    RunFile file;
    file.path = (*data / log.path).string();
    file.channels = {{"position", {log.position}, {}, {}, {}, {}}};
    EXPECT_EQ(read_run(file, revolute(log.joints)).samples.size(), log.rows);
  }
}

}  // namespace
}  // namespace steelyard
