// Viscous friction that fades within a run, as of a drive that warms up, and none that does.
#include "steelyard/doctor/friction_drift.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "oracle/data_folder.hpp"
#include "oracle/sanitized.hpp"
#include "real_logs.hpp"
#include "simulated_logs.hpp"
#include "steelyard/doctor/doctor.hpp"

namespace steelyard::testing {
namespace friction_drift_test {

std::vector<FrictionDrift> drifts_of(const Robot& robot, const steelyard::Run& run) {
  const std::unique_ptr<SampleSource> source = view_run(run);
  const TimeScan time = scan_time(*source);
  const Trial trial(robot, {coarse_run(view_run(run), "run", time, DoctorOptions().coarse)});
  return examine_friction_drift(trial);
}

// More viscous friction, from 1 + change / 2 of it at the beginning to 1 − change / 2 at the end.
void add_fading_friction(steelyard::Run& run, int joint, double viscous, double change) {
  double* tau = run.samples.row(run.samples.find(channel::kTorque), joint);
  const double* q = run.samples.row(run.samples.find(channel::kPosition), joint);
  const Index n = run.samples.size();
  const double* t = run.samples.time();
  for (Index s = 1; s + 1 < n; ++s) {
    const double qd = (q[s + 1] - q[s - 1]) / (t[s + 1] - t[s - 1]),
                 x = (t[s] - t[0]) / (t[n - 1] - t[0]) - 0.5;
    tau[s] += viscous * qd * (1 - change * x);
  }
}

TEST(FrictionDrift, IsNamedWhereFrictionFadesAndNowhereElse) {
  const std::uint64_t seeds = oracle::is_sanitized() ? 1 : 6;
  int healthy = 0, alarms = 0, faded = 0, named = 0, others = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed)
    for (int joints = 1; joints <= 6; ++joints) {
      const SimulatedLog log = random_log(joints, 0.01, 1000 * static_cast<std::uint64_t>(joints) + seed);
      for (const FrictionDrift& drift : drifts_of(log.robot, log.run)) {
        ++healthy;
        alarms += is_clear(drift);
      }
      const int joint = static_cast<int>(seed) % joints;
      SimulatedLog warm = log;
      add_fading_friction(warm.run, joint, 4, 0.6);  // its own is 0.3 to 2
      ++faded;
      for (const FrictionDrift& drift : drifts_of(warm.robot, warm.run)) {
        if (!is_clear(drift)) continue;
        ++(drift.joint == joint ? named : others);
        if (drift.joint == joint) {
          EXPECT_LT(drift.share, 0);
        }
      }
    }
  std::printf("%d healthy joints, %d alarms; %d that fade, %d named, others %d\n", healthy, alarms, faded,
              named, others);
  EXPECT_EQ(alarms, 0);
  EXPECT_EQ(others, 0);
  EXPECT_GE(named, 0.8 * faded);
}

TEST(FrictionDrift, SizeIsThatOfTheFriction) {
  // A turntable has nothing but inertia and friction.
  SimulatedLog log = turntable_log(1e-3, 3);
  const std::vector<FrictionDrift> before = drifts_of(log.robot, log.run);
  ASSERT_EQ(before.size(), 1U);
  EXPECT_FALSE(is_clear(before[0]));
  add_fading_friction(log.run, 0, 5, 1.0);
  const std::vector<FrictionDrift> after = drifts_of(log.robot, log.run);
  ASSERT_TRUE(is_clear(after[0]));
  EXPECT_EQ(drift_finding(after[0], log.robot).code, "friction-drift");
}

TEST(FrictionDrift, IsAFindingOfItsRun) {
  SimulatedLog log = turntable_log(1e-3, 3);
  add_fading_friction(log.run, 0, 5, 1.0);
  log.run.label.label = "long";
  const Examination found = examine(log.robot, {{log.run.label, [&] { return view_run(log.run); }}});
  int named = 0;
  for (const Finding& finding : found.findings) named += finding.code == "friction-drift";
  EXPECT_EQ(named, 1);
}

TEST(FrictionDrift, OfPublicLogs) {
  if (!oracle::data_folder()) STEELYARD_SKIP_WITHOUT_DATA();
  for (const char* name :
       {"panda", "ur10", "tx40", "lwr1", "lwr2", "lwr3", "kinova1", "kinova2", "kinova3", "tiago", "kr300"}) {
    const RealLog log = real_log(name);
    for (const FrictionDrift& drift : drifts_of(log.robot, log.run))
      if (is_clear(drift))
        std::printf("%s: %s %s\n", name, drift_finding(drift, log.robot).joint.c_str(),
                    drift_finding(drift, log.robot).evidence.c_str());
  }
}

}  // namespace friction_drift_test
}  // namespace steelyard::testing
