// What one run absorbs, all of them together show: mistakes that every run has.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "oracle/sanitized.hpp"
#include "simulated_logs.hpp"
#include "steelyard/doctor/doctor.hpp"

namespace steelyard::testing {
namespace together_test {

constexpr std::uint64_t kSeed = 3007;

struct Pair {
  SimulatedLog fit, other;
};

// The second run moves elsewhere and is not fitted.
Pair local_pair(std::uint64_t seed, double reach = 0.1) {
  Pair pair{local_log(4, 0.01, seed, 0.2, reach), local_log(4, 0.01, seed, -0.9, reach)};
  pair.other.run.label.label = "other";
  pair.other.run.label.role = RunRole::validate;
  return pair;
}

void turn_efforts(steelyard::Run& run, int joint) {
  double* x = run.samples.row(run.samples.find(channel::kTorque), joint);
  for (Index s = 0; s < run.samples.size(); ++s) x[s] = -x[s];
}

Examination examined(const Robot& robot, const std::vector<const steelyard::Run*>& runs) {
  std::vector<ExaminedRun> list;
  for (const steelyard::Run* run : runs) list.push_back({run->label, [run] { return view_run(*run); }});
  return examine(robot, list);
}

// Of the findings that accuse the set-up: "joint-zero(j2)", with the number of runs.
std::vector<std::string> errors(const Examination& examination) {
  std::vector<std::string> out;
  for (std::size_t k = 0; k < examination.findings.size(); ++k) {
    const Finding& finding = examination.findings[k];
    if (finding.severity == Severity::error)
      out.push_back(finding.code + "(" + finding.joint + ") of " +
                    std::to_string(examination.subjects[k].size()));
  }
  return out;
}

TEST(Together, RunsShowAMountingThatTheFittedOneAbsorbs) {
  int alone = 0, named = 0, wrong = 0;
  const int pairs = oracle::is_sanitized() ? 1 : 6;
  for (std::uint64_t seed = kSeed; seed < kSeed + static_cast<std::uint64_t>(pairs); ++seed) {
    const Pair pair = local_pair(seed);
    Robot robot = pair.fit.robot;
    robot.gravity = 9.81 * Vector3(0.6, 0, -0.8);
    alone += !errors(examined(robot, {&pair.fit.run})).empty();
    for (const std::string& error : errors(examined(robot, {&pair.fit.run, &pair.other.run}))) {
      named += error == "gravity() of 2";
      wrong += error.find("gravity") != 0;
    }
  }
  std::printf("named alone %d, together %d, wrong %d\n", alone, named, wrong);
  EXPECT_LE(alone, 1);
  EXPECT_GE(named, 2 * pairs / 3);
  EXPECT_LE(wrong, 1);
}

TEST(Together, HealthyRunsAreNotAccused) {
  for (const std::uint64_t seed : {kSeed, kSeed + 1, kSeed + 2, kSeed + 3}) {
    const Pair pair = local_pair(seed);
    EXPECT_EQ(errors(examined(pair.fit.robot, {&pair.fit.run, &pair.other.run})), std::vector<std::string>())
        << seed;
  }
}

// A mistake of one run alone is that run's.
TEST(Together, RunsDoNotShareAMistakeOfOne) {
  Pair pair = local_pair(kSeed, 1);
  turn_efforts(pair.other.run, 1);
  const std::string name = log_joints(pair.fit.robot)[1].name;
  EXPECT_EQ(errors(examined(pair.fit.robot, {&pair.fit.run, &pair.other.run})),
            std::vector<std::string>{"torque-sign(" + name + ") of 1"});
}

}  // namespace together_test
}  // namespace steelyard::testing
