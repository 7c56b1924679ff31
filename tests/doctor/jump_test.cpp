// Jumps put into the efforts of healthy logs, and none in them as they are. STEELYARD_EVERY_FAULT=1 tries all
// logs of docs/doctor.md.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "oracle/data_folder.hpp"
#include "oracle/sanitized.hpp"
#include "real_logs.hpp"
#include "simulated_logs.hpp"
#include "steelyard/doctor/doctor.hpp"
#include "steelyard/doctor/jump.hpp"

namespace steelyard::testing {
namespace jump_test {

std::vector<Jump> jumps_of(const Robot& robot, const steelyard::Run& run) {
  const std::unique_ptr<SampleSource> source = view_run(run);
  const TimeScan time = scan_time(*source);
  const Trial trial(robot, {coarse_run(view_run(run), "run", time, DoctorOptions().coarse)});
  return examine_jumps(trial);
}

// By a share of the joint's rms, behind a share of the run.
void add_jump(steelyard::Run& run, int joint, double share, double behind) {
  double* x = run.samples.row(run.samples.find(channel::kTorque), joint);
  const Index n = run.samples.size();
  double square = 0;
  for (Index s = 0; s < n; ++s) square += x[s] * x[s];
  const double size = share * std::sqrt(square / static_cast<double>(n));
  for (auto s = static_cast<Index>(behind * static_cast<double>(n)); s < n; ++s) x[s] += size;
}

struct Count {
  int joints = 0, named = 0, others = 0;
};

void try_jump(Count& count, const Robot& robot, steelyard::Run run, int joint, double share, double behind) {
  add_jump(run, joint, share, behind);
  ++count.joints;
  for (const Jump& jump : jumps_of(robot, run))
    if (is_clear(jump)) ++(jump.joint == joint ? count.named : count.others);
}

SimulatedLog simulated_log(int joints, double noise, std::uint64_t seed) {
  if (joints < 0) return turntable_log(noise, seed);
  if (joints == 0) return scara_log(noise, seed);
  return random_log(joints, noise, 1000 * static_cast<std::uint64_t>(joints) + seed);
}

TEST(EffortJump, OfATenthIsNamedInSimulatedLogsAndNoneInHealthyOnes) {
  const std::uint64_t seeds = std::getenv("STEELYARD_EVERY_FAULT") != nullptr ? 40
                              : oracle::is_sanitized()                        ? 1
                                                                              : 4;
  for (const double noise : {0.0, 1e-3, 0.01, 0.05, 0.2}) {
    int healthy = 0, alarms = 0;
    double deviations = 0, explained = 0;
    Count tenth, fifth;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed)
      for (int joints = -1; joints <= 7; ++joints) {
        const SimulatedLog log = simulated_log(joints, noise, seed);
        for (const Jump& jump : jumps_of(log.robot, log.run)) {
          ++healthy;
          alarms += is_clear(jump);
          deviations = std::max(deviations, jump.deviations);
          explained = std::max(explained, jump.explained);
        }
        const int joint = static_cast<int>(seed) % static_cast<int>(log.run.samples.joints());
        const double behind = 0.2 + 0.15 * static_cast<double>(seed % 5);
        try_jump(tenth, log.robot, log.run, joint, 0.1, behind);
        try_jump(fifth, log.robot, log.run, joint, 0.2, behind);
      }
    std::printf(
        "noise %4.1f %%: %d healthy joints, %d alarms, at most %.1f deviations and %.2f explained; 10 %%: %d "
        "of "
        "%d, others %d; 20 %%: %d of %d, others %d\n",
        100 * noise, healthy, alarms, deviations, explained, tenth.named, tenth.joints, tenth.others,
        fifth.named, fifth.joints, fifth.others);
    EXPECT_EQ(alarms, 0);
    EXPECT_EQ(tenth.others + fifth.others, 0);
    if (noise > 0.05) continue;
    EXPECT_GE(tenth.named, 0.9 * tenth.joints);
    EXPECT_GE(fifth.named, 0.95 * fifth.joints);
  }
}

TEST(EffortJump, IsInNoneOfThePublicLogs) {
  if (!oracle::data_folder()) STEELYARD_SKIP_WITHOUT_DATA();
  for (const char* name :
       {"panda", "ur10", "tx40", "lwr1", "lwr2", "lwr3", "kinova1", "kinova2", "kinova3", "tiago", "kr300"}) {
    const RealLog log = real_log(name);
    for (const Jump& jump : jumps_of(log.robot, log.run))
      EXPECT_FALSE(is_clear(jump)) << name << ": " << jump_finding(jump, log.robot).joint << " "
                                   << jump_finding(jump, log.robot).evidence;
  }
}

// Of real logs whose model is good; what the others leave hides a tenth.
TEST(EffortJump, IsNamedWhereItIsPutIntoRealLogs) {
  if (!oracle::data_folder()) STEELYARD_SKIP_WITHOUT_DATA();
  for (const char* name : {"panda", "ur10", "tx40", "lwr3"}) {
    const RealLog log = real_log(name);
    for (const double share : {0.1, 0.2, 0.5}) {
      Count count;
      for (const double behind : {0.3, 0.5, 0.7})
        for (int j = 0; j < static_cast<int>(log.joints.size()); ++j)
          try_jump(count, log.robot, log.run, j, share, behind);
      std::printf("%s, %.0f %% of the rms: %d of %d, others %d\n", name, 100 * share, count.named,
                  count.joints, count.others);
      EXPECT_EQ(count.others, 0);
      EXPECT_GE(count.named, share == 0.5 ? 0.6 * count.joints : 0);
    }
  }
}

// The whole examination: the run is named, and nothing else is blamed.
TEST(EffortJump, IsAFindingOfItsRun) {
  const SimulatedLog first = random_log(3, 0.01, 3001), other = random_log(3, 0.01, 3001);
  for (const double share : {0.1, 0.3, 1.0}) {
    SimulatedLog log = other;
    log.run.label.label = "second";
    add_jump(log.run, 1, share, 0.5);
    const Examination found = examine(first.robot, {{first.run.label, [&] { return view_run(first.run); }},
                                                    {log.run.label, [&] { return view_run(log.run); }}});
    bool named = false;
    for (std::size_t k = 0; k < found.findings.size(); ++k) {
      const Finding& finding = found.findings[k];
      EXPECT_NE(finding.severity, Severity::error) << finding.code << " " << finding.evidence;
      if (finding.code != "effort-jump") continue;
      named = true;
      EXPECT_EQ(finding.joint, "j2");
      EXPECT_EQ(found.subjects[k], std::vector<std::size_t>{1});
      EXPECT_NE(finding.evidence.find("at 15."), std::string::npos) << finding.evidence;
    }
    EXPECT_TRUE(named) << share;
  }
}

}  // namespace jump_test
}  // namespace steelyard::testing
