// What a log contains and the model does not: springs, stops, pushes, another load; zeros and lengths of any size, two mistakes
// at once, joints that stand still.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "simulated_logs.hpp"
#include "steelyard/doctor/doctor.hpp"

namespace steelyard::testing {
namespace lacking_test {

constexpr std::uint64_t kSeed = 3007;

double* effort_of(steelyard::Run& run, int joint) {
  return run.samples.row(run.samples.find(channel::kTorque), joint);
}
double* position_of(steelyard::Run& run, int joint) {
  return run.samples.row(run.samples.find(channel::kPosition), joint);
}

double rms_of(const double* x, Index n) {
  double square = 0;
  for (Index s = 0; s < n; ++s) square += x[s] * x[s];
  return std::sqrt(square / static_cast<double>(n));
}

int turning_joint(const Robot& robot) {
  const std::vector<LogJoint> joints = log_joints(robot);
  for (std::size_t j = 1; j < joints.size(); ++j)
    if (joints[j].kind == JointKind::revolute) return static_cast<int>(j);
  return 0;
}

std::vector<Finding> found(const Robot& robot, const steelyard::Run& run) {
  std::vector<Finding> out;
  for (Finding& finding : examine(robot, {{run.label, [&] { return view_run(run); }}}).findings)
    if (finding.severity != Severity::note) out.push_back(std::move(finding));
  return out;
}

std::string text_of(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& finding : findings)
    text += finding.code + "(" + finding.joint + ") " + finding.evidence + "\n";
  return text;
}

const Finding* find(const std::vector<Finding>& findings, const std::string& code, const std::string& joint) {
  for (const Finding& finding : findings)
    if (finding.code == code && finding.joint == joint) return &finding;
  return nullptr;
}

TEST(Lacking, AHealthyLogLacksNothing) {
  for (const std::uint64_t seed : {kSeed, kSeed + 1, kSeed + 2}) {
    const SimulatedLog log = random_log(4, 0.01, seed);
    EXPECT_EQ(text_of(found(log.robot, log.run)), "") << seed;
  }
}

// Nothing that bodies do is proportional to the angle: far from rest the spring shows.
TEST(Lacking, ASpringIsNamedWithItsColumn) {
  SimulatedLog log = random_log(4, 0.01, kSeed);
  const int j = turning_joint(log.robot);
  const std::string name = log_joints(log.robot)[static_cast<std::size_t>(j)].name;
  double *x = effort_of(log.run, j), *q = position_of(log.run, j);
  const double size = 2 * rms_of(x, log.run.samples.size()) / rms_of(q, log.run.samples.size());
  for (Index s = 0; s < log.run.samples.size(); ++s) x[s] += size * q[s];
  const std::vector<Finding> findings = found(log.robot, log.run);
  const Finding* spring = find(findings, "missing-spring", name);
  ASSERT_NE(spring, nullptr) << text_of(findings);
  EXPECT_NE(spring->evidence.find("joint: " + name + ", expression: \"q\""), std::string::npos)
      << spring->evidence;
  EXPECT_EQ(spring->severity, Severity::warning);
}

// The coarse copy has a sample every 75 ms; the ends of the window are found within three of them.
TEST(Lacking, APushIsNamedWithItsWindow) {
  constexpr double kWithin = 0.2;  // [s]
  double worst = 0;
  for (std::uint64_t seed = kSeed; seed < kSeed + 5; ++seed) {
    SimulatedLog log = random_log(4, 0.01, seed);
    const Index n = log.run.samples.size();
    const double from = 9.13 + 0.71 * static_cast<double>(seed - kSeed),
                 to = from + 2.1 + 0.37 * static_cast<double>(seed - kSeed);
    for (int j = 0; j < 2; ++j) {
      double* x = effort_of(log.run, j);
      const double size = 0.4 * rms_of(x, n);
      for (Index s = 0; s < n; ++s) {
        const double share = std::clamp((log.run.samples.time()[s] - from) / (to - from), 0.0, 1.0);
        x[s] += size * std::pow(std::sin(std::numbers::pi * share), 2);
      }
    }
    const std::vector<Finding> findings = found(log.robot, log.run);
    const Finding* contact = find(findings, "contact", "");
    ASSERT_NE(contact, nullptr) << seed << ": " << text_of(findings);
    double start = 0, end = 0;
    ASSERT_EQ(std::sscanf(contact->evidence.c_str(), "from %lf to %lf s", &start, &end), 2)
        << contact->evidence;
    EXPECT_NEAR(start, from, kWithin) << seed;
    EXPECT_NEAR(end, to, kWithin) << seed;
    worst = std::max({worst, std::abs(start - from), std::abs(end - to)});
    for (const Finding& finding : findings)
      EXPECT_NE(finding.severity, Severity::error) << seed << ": " << finding.code << " " << finding.evidence;
  }
  std::printf("ends of the window within %.3f s\n", worst);
}

TEST(Lacking, AZeroOfAnyAngleIsNamed) {
  SimulatedLog log = random_log(4, 0.002, kSeed);
  const int j = turning_joint(log.robot);
  const std::string name = log_joints(log.robot)[static_cast<std::size_t>(j)].name;
  double* q = position_of(log.run, j);
  for (Index s = 0; s < log.run.samples.size(); ++s) q[s] += 0.4;
  const std::vector<Finding> findings = found(log.robot, log.run);
  const Finding* zero = find(findings, "joint-zero", name);
  ASSERT_NE(zero, nullptr) << text_of(findings);
  EXPECT_NE(zero->evidence.find("q + -2"), std::string::npos) << zero->evidence;  // 22.9°
}

TEST(Lacking, TwoMistakesAreBothNamed) {
  SimulatedLog log = random_log(4, 0.002, kSeed);
  const std::vector<LogJoint> joints = log_joints(log.robot);
  for (const int j : {0, 2}) {
    double* x = effort_of(log.run, j);
    for (Index s = 0; s < log.run.samples.size(); ++s) x[s] = -x[s];
  }
  const std::vector<Finding> findings = found(log.robot, log.run);
  EXPECT_NE(find(findings, "torque-sign", joints[0].name), nullptr) << text_of(findings);
  EXPECT_NE(find(findings, "torque-sign", joints[2].name), nullptr) << text_of(findings);
}

// A flange of 0.8 kg at the end: its gain is named where its weight tells it, right, or not at all.
TEST(Lacking, TheGainOfALightJointIsNamedOnlyIfItIsKnown) {
  for (const std::uint64_t seed : {kSeed, kSeed + 1})
    for (const double factor : {1.0, 20.0, 0.05}) {
      SimulatedLog log = scara_log(0.05, seed);
      double* x = effort_of(log.run, 3);
      for (Index s = 0; s < log.run.samples.size(); ++s) x[s] *= factor;
      for (const Finding& finding : found(log.robot, log.run)) {
        if (finding.severity != Severity::error) continue;
        double named = 0;
        ASSERT_EQ(std::sscanf(finding.evidence.c_str(), "the effort of flange times %lf fits", &named), 1)
            << factor << ": " << text_of({finding});
        EXPECT_NE(factor, 1);
        EXPECT_NEAR(std::log(named * factor), 0, 0.25) << text_of({finding});
      }
    }
}

// A lost message in a fifth of the log hides no mistake.
TEST(Lacking, SpikesMissingEffortsAndRepeatedRowsHideNoMistake) {
  SimulatedLog log = random_log(4, 0.01, kSeed);
  double *x = effort_of(log.run, 1), *y = effort_of(log.run, 2);
  const Index n = log.run.samples.size();
  const double size = rms_of(y, n);
  for (Index s = 0; s < n; ++s) x[s] = -x[s];
  for (Index s = 11; s < n; s += 40) x[s] = 0;
  for (const Index s : {500, 2100, 4000}) y[s] += 300 * size;
  position_of(log.run, 0)[3000] += 0.5;
  for (Index s = 5; s < n; s += 5)
    for (Index r = 0; r < log.run.samples.rows(); ++r) {
      double* row = log.run.samples.data() + r * log.run.samples.stride();
      row[s] = row[s - 1];
    }
  const std::vector<Finding> findings = found(log.robot, log.run);
  const std::string name = log_joints(log.robot)[1].name;
  EXPECT_NE(find(findings, "torque-sign", name), nullptr) << text_of(findings);
  EXPECT_NE(find(findings, "effort-dropout", name), nullptr) << text_of(findings);
  for (const Finding& finding : findings)
    if (finding.severity == Severity::error) {
      EXPECT_TRUE(finding.code == "torque-sign" || finding.code == "spike") << text_of(findings);
    }
}

// Joints that are not asked to move say nothing, and keep nothing from being said of the others.
TEST(Lacking, AStillJointHidesNoMistake) {
  for (const bool is_wrong : {false, true}) {
    SimulatedLog log = random_log(4, 0.01, kSeed);
    for (const char* kind : {"position", "velocity"}) {
      const int c = log.run.samples.find(kind);
      if (c < 0) continue;
      double* x = log.run.samples.row(c, 3);
      std::fill_n(x, log.run.samples.size(), kind[0] == 'p' ? x[0] : 0);
    }
    double* x = effort_of(log.run, 1);
    for (Index s = 0; s < log.run.samples.size() && is_wrong; ++s) x[s] = -x[s];
    const std::vector<Finding> findings = found(log.robot, log.run);
    const std::string name = log_joints(log.robot)[1].name;
    EXPECT_EQ(find(findings, "torque-sign", name) != nullptr, is_wrong) << text_of(findings);
  }
}

}  // namespace lacking_test
}  // namespace steelyard::testing
