// Couplings of a transmission that the robot file has wrong: not there, of the other sign, or missing in it.
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <set>

#include "doctor/trial_impl.hpp"
#include "oracle/data_folder.hpp"
#include "oracle/random_robot.hpp"
#include "oracle/sanitized.hpp"
#include "real_logs.hpp"
#include "simulated_logs.hpp"
#include "steelyard/doctor/doctor.hpp"
#include "steelyard/doctor/hypotheses.hpp"
#include "steelyard/log/transmission.hpp"

namespace steelyard::testing {
namespace coupling_test {

// The log on the joint side of `given`, which was logged on the motors' side of `real`.
steelyard::Run seen_through(const steelyard::Run& run, const Transmission& real, const Transmission& given) {
  steelyard::Run seen = run;
  SampleBlock& block = seen.samples;
  const Index n = block.joints();
  const Eigen::MatrixXd motor = real.matrix, pull = motor.inverse().transpose();
  for (const auto channel : {channel::kPosition, channel::kVelocity, channel::kTorque}) {
    const int c = block.find(channel);
    if (c < 0) continue;
    Eigen::VectorXd x(n);
    for (Index s = 0; s < block.size(); ++s) {
      for (Index j = 0; j < n; ++j)
        x[j] = block.row(c, j)[s] - (channel == channel::kPosition ? real.zero[j] : 0);
      const Eigen::VectorXd y = channel == channel::kTorque ? Eigen::VectorXd(pull * x) : motor * x;
      for (Index j = 0; j < n; ++j) block.row(c, j)[s] = y[j];
    }
    block.rename(c, std::string(channel::kMotor) + std::string(channel));
  }
  to_joint_side(given, block);
  return seen;
}

struct Count {
  int logs = 0, named = 0, wrong = 0;
};

// What is said of the log, `pair` being the joints that it should name.
void examine_into(Count& count, const Robot& robot, const steelyard::Run& run, const std::vector<int>& pair) {
  const Examination found = examine(robot, {{run.label, [&] { return view_run(run); }}});
  const auto ties = found.set_up ? tied(*found.set_up) : std::vector<const RankedHypothesis*>{};
  bool named = false;  // the best explanation, or as good as that
  for (const RankedHypothesis* tie : ties)
    named |= tie->hypothesis.code == "coupling" && tie->hypothesis.joints == pair;
  ++count.logs;
  count.named += named;
  count.wrong += !ties.empty() && !named;
  for (const RankedHypothesis* tie : ties)
    if (!named) std::printf("  named: %s\n", tie->hypothesis.what.c_str());
}

TEST(Coupling, OfTheRobotIsNamedWhereItIsWrongAndNotWhereItIsRight) {
  const bool every = std::getenv("STEELYARD_EVERY_FAULT") != nullptr;
  const std::uint64_t seeds = every ? 20 : oracle::is_sanitized() ? 1 : 2;
  Count right, absent, reversed, missing;
  for (const int joints : {2, 3, 6})
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      const SimulatedLog log = random_log(joints, 0.01, 1000 * static_cast<std::uint64_t>(joints) + seed);
      oracle::Random random(seed);
      const int i = 1 + static_cast<int>(random.index(joints - 1)), j = i - 1;
      Transmission real{MatrixXd::Identity(joints, joints), VectorXd::Constant(joints, 0.1)};
      for (int k = 0; k < joints; ++k) real.matrix(k, k) = k % 2 == 0 ? 50 : -30;
      Transmission none = real, other = real;
      const double ratio = random.uniform(0.15, 1);
      real.matrix(i, j) = ratio * real.matrix(i, i);
      other.matrix(i, j) = -real.matrix(i, j);
      Robot robot = log.robot;
      robot.transmission = real;
      examine_into(right, robot, seen_through(log.run, real, real), {});
      examine_into(absent, robot, seen_through(log.run, none, real), {j, i});
      examine_into(reversed, robot, seen_through(log.run, other, real), {j, i});
      robot.transmission = none;
      examine_into(missing, robot, seen_through(log.run, real, none), {j, i});
    }
  for (const auto& [what, count] :
       {std::pair{"right", right}, {"not there", absent}, {"other sign", reversed}, {"missing", missing}})
    std::printf("%-10s %d logs, named %d, something else %d\n", what, count.logs, count.named, count.wrong);
  EXPECT_EQ(right.named + right.wrong, 0);
  for (const Count& count : {absent, reversed}) {
    EXPECT_GE(count.named, 0.95 * count.logs);
    EXPECT_EQ(count.wrong, 0);
  }
  // Sliding joints are not tried, and small ratios of light joints hardly show (docs/doctor.md).
  EXPECT_GE(missing.named, 0.5 * missing.logs);
  EXPECT_LE(missing.wrong, 0.17 * missing.logs);
}

// Where a drive that moves by two joints reverses, both feel its friction change, though neither stands still.
TEST(Coupling, LeavesOutRowsNearReversalsOfCoupledDrives) {
  constexpr Index kSamples = 400;
  constexpr double kSmear = 0.04;  // [s]
  Eigen::MatrixXd qd(kSamples, 3), qdd(kSamples, 3);
  for (Index s = 0; s < kSamples; ++s) {
    const double t = 0.01 * static_cast<double>(s);
    qd.row(s) << 1.5 + std::cos(t), -1.5, std::cos(2 * t);  // the sum of the first two is cos t
    qdd.row(s) << -std::sin(t), 0, -2 * std::sin(2 * t);
  }
  Transmission transmission{MatrixXd::Identity(3, 3), VectorXd::Zero(3)};
  const doctor::Masks own = doctor::moving(qd, qdd, kSmear);
  doctor::Masks masks = own;
  doctor::leave_out_coupled(transmission, qd, qdd, kSmear, masks);
  EXPECT_EQ(masks, own);
  transmission.matrix(1, 0) = transmission.matrix(1, 1) = 50;
  doctor::leave_out_coupled(transmission, qd, qdd, kSmear, masks);
  for (Index s = 0; s < kSamples; ++s) {
    const double drive = qd(s, 0) + qd(s, 1), bend = qdd(s, 0) + qdd(s, 1);
    // Faster than a hundredth of its largest velocity, 1, and than what it gains in kSmear.
    const bool turns = std::abs(drive) > 0.01 && std::abs(drive) > kSmear * std::abs(bend);
    for (std::size_t j = 0; j < 3; ++j)
      EXPECT_EQ(masks[j][static_cast<std::size_t>(s)] != 0,
                own[j][static_cast<std::size_t>(s)] != 0 && (j == 2 || turns))
          << "joint " << j << ", sample " << s;
  }
  EXPECT_LT(std::count(masks[0].begin(), masks[0].end(), 1), kSamples);
}

// The wrist's last joint carries nothing: its coupling hardly shows, but nothing else may be blamed.
TEST(Coupling, OfTheTx40LeadsToNothingElse) {
  if (!oracle::data_folder()) STEELYARD_SKIP_WITHOUT_DATA();
  RealLog log = real_log("tx40");
  const Transmission real = log.robot.transmission;
  Count count;
  for (const double factor : {0.0, -1.0}) {
    log.robot.transmission.matrix(5, 4) = factor * real.matrix(5, 4);
    examine_into(count, log.robot, seen_through(log.run, real, log.robot.transmission), {4, 5});
  }
  std::printf("tx40: %d wrong couplings, named %d\n", count.logs, count.named);
  EXPECT_EQ(count.wrong, 0);
}

// Joint 3 of this tree hangs on joint 1: its neighbour in the log is on another branch.
TEST(Coupling, IsTriedBetweenNeighboursOfOneChainOnly) {
  Robot robot;
  robot.name = "tree";
  for (const int parent : {-1, 0, 0}) {
    Joint joint;
    joint.name = "joint" + std::to_string(robot.joints.size() + 1);
    joint.parent = parent;
    robot.joints.push_back(joint);
  }
  std::set<std::vector<int>> pairs;
  for (const Hypothesis& hypothesis : fixed_hypotheses(robot))
    if (hypothesis.code == "coupling") pairs.insert(hypothesis.joints);
  EXPECT_EQ(pairs, (std::set<std::vector<int>>{{0, 1}}));
}

}  // namespace coupling_test
}  // namespace steelyard::testing
