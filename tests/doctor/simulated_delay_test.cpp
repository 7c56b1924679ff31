// Healthy simulated robots must not be said to have delayed efforts; delays put into the same logs must be
// named. STEELYARD_EVERY_FAULT=1 tries all logs of docs/doctor.md.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>

#include "faults.hpp"
#include "oracle/sanitized.hpp"
#include "simulated_logs.hpp"
#include "steelyard/core/random.hpp"
#include "steelyard/doctor/doctor.hpp"
#include "steelyard/log/run_file.hpp"

namespace steelyard::testing {
namespace simulated_delay_test {

constexpr double kNoises[] = {0, 1e-3, 0.01, 0.05, 0.2};  // of a joint's own effort

DelayedRun delayed(const steelyard::Run& run) {
  return {run.label, [&run] { return view_run(run); }};
}

// The doctor's findings about a log's delays; "-": nothing, "": of all joints.
std::string said(const SimulatedLog& log, const steelyard::Run& run) {
  const std::vector<DelayFinding> findings =
      delay_findings(estimate_delays(log.robot, {delayed(run)}), log.robot);
  return findings.empty() ? "-" : findings[0].finding.joint;
}

using Visit = std::function<void(const SimulatedLog&, double noise, std::uint64_t seed)>;

void visit_logs(std::uint64_t seeds, const Visit& visit) {
  for (const double noise : kNoises)
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      visit(turntable_log(noise, seed), noise, seed);
      visit(scara_log(noise, seed), noise, seed);
      for (int joints = 1; joints <= 7; ++joints)
        visit(random_log(joints, noise, 1000 * static_cast<std::uint64_t>(joints) + seed), noise, seed);
    }
}

bool every() {
  return std::getenv("STEELYARD_EVERY_FAULT") != nullptr;
}

TEST(SimulatedDelay, IsNotNamedInHealthyLogs) {
  int logs = 0;
  visit_logs(every()                  ? 40
             : oracle::is_sanitized() ? 1
                                      : 2,
             [&](const SimulatedLog& log, double noise, std::uint64_t seed) {
               ++logs;
               EXPECT_EQ(said(log, log.run), "-") << log.robot.name << " of " << log.run.samples.joints()
                                                  << ", noise " << noise << ", seed " << seed;
             });
  std::printf("%d healthy logs\n", logs);
}

// Bursts of 0.2 s in one of two runs: what a shift explains of them by chance is nothing in the other run.
TEST(SimulatedDelay, IsNotNamedBecauseOfBurstsInOneRun) {
  for (int joints = 1; joints <= 7; ++joints)
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      const SimulatedLog log = random_log(joints, 0.01, 1000 * static_cast<std::uint64_t>(joints) + seed);
      steelyard::Run rough = log.run;
      const int torque = rough.samples.find(channel::kTorque);
      Random random(seed, "bursts");
      for (Index j = 0; j < joints; ++j) {
        double* effort = rough.samples.row(torque, j);
        const Eigen::Map<const Eigen::VectorXd> all(effort, rough.samples.size());
        const double size = all.norm() / std::sqrt(static_cast<double>(all.size()));
        for (Index s = 0; s < rough.samples.size(); ++s)
          if (s % 1000 < 40) effort[s] += random.uniform(-1, 1) < 0 ? -size : size;
      }
      const std::vector<RunDelay> delays = estimate_delays(log.robot, {delayed(rough), delayed(log.run)});
      EXPECT_TRUE(delay_findings(delays, log.robot).empty()) << joints << " " << seed;
    }
}

TEST(SimulatedDelay, IsNamedWhereItIsPutIn) {
  struct Count {
    int injected = 0, named = 0, wrong = 0;
  };
  std::map<double, Count> common, one;  // by noise
  visit_logs(every() ? 3 : 1, [&](const SimulatedLog& log, double noise, std::uint64_t seed) {
    if (!every() && (noise == 1e-3 || noise == 0.2)) return;
    const std::vector<LogJoint> names = log_joints(log.robot);
    const int n = static_cast<int>(names.size());
    const std::vector<double> delays =
        seed == 3 ? std::vector<double>{0.03, 0.08, -0.05} : std::vector<double>{0.02, 0.05};
    for (const double seconds : delays)
      for (const int joint : {-1, 0, n / 2}) {
        if (joint >= 0 && n == 1) continue;
        steelyard::Run run = log.run;
        delay_efforts(run, seconds, joint);
        const std::string joint_said = said(log, run);
        Count& count = (joint < 0 ? common : one)[noise];
        ++count.injected;
        const bool named = joint_said == (joint < 0 ? "" : names[static_cast<std::size_t>(joint)].name);
        count.named += named;
        count.wrong += !named && joint_said != "-";
      }
  });
  for (const auto& [what, table] : {std::pair{"all joints", common}, std::pair{"one joint", one}})
    for (const auto& [noise, count] : table) {
      std::printf("%s, noise %.1f %%: %d of %d, another joint or all named %d\n", what, 100 * noise,
                  count.named, count.injected, count.wrong);
      // Of the few logs tried here 82 % of the late joints are named, of all 90 % (docs/doctor.md).
      if (noise > 0.01) continue;
      EXPECT_GE(count.named, 0.8 * count.injected) << what << ", noise " << noise;
      EXPECT_LE(count.wrong, 0.05 * count.injected) << what << ", noise " << noise;
    }
}

}  // namespace simulated_delay_test
}  // namespace steelyard::testing
