// Signals whose faults are known because they were made.
#include "steelyard/doctor/signals.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "doctor/constrained.hpp"
#include "steelyard/core/random.hpp"

namespace steelyard {
namespace {

constexpr double kRate = 200;  // [Hz]
const std::vector<LogJoint> kJoints = {{"shoulder", JointKind::revolute}, {"elbow", JointKind::revolute}};

// Two joints on sines, 20 s, with noise on the efforts.
Run sines() {
  Run run;
  run.label.label = "run";
  run.samples = SampleBlock({"position", "velocity", "torque"}, 2, 4000);
  Random random(3, "noise");
  for (Index s = 0; s < 4000; ++s) {
    const double t = static_cast<double>(s) / kRate;
    run.samples.time()[s] = t;
    for (Index j = 0; j < 2; ++j) {
      const double w = 1.3 + 0.9 * static_cast<double>(j);
      run.samples.row(0, j)[s] = std::sin(w * t);
      run.samples.row(1, j)[s] = w * std::cos(w * t);
      run.samples.row(2, j)[s] = 5 * std::cos(w * t) + random.normal(0, 0.01);
    }
  }
  return run;
}

SignalScan scan(const Run& run) {
  const std::unique_ptr<SampleSource> source = view_run(run);
  return scan_signals(*source, kJoints);
}

std::vector<Finding> find(const Run& run) {
  return find_signals(scan(run), kJoints, "run");
}

TEST(Signals, OfACleanLogHaveNoFinding) {
  for (const Finding& finding : find(sines())) ADD_FAILURE() << finding.code << ": " << finding.evidence;
}

TEST(Signals, DoNotDependOnHowTheSourceIsRead) {
  steelyard::Run run = sines();
  const SignalScan whole = scan(run);
  EXPECT_EQ(whole.samples, 4000);
  // sin over many periods: the largest value is close to one, and the mean step is 2/π of ω/rate.
  EXPECT_NEAR(whole.scans[0][0].highest, 1, 1e-4);
  EXPECT_NEAR(whole.scans[0][0].mean_step, 2 / M_PI * 1.3 / kRate, 0.02 * 1.3 / kRate);
}

TEST(Signals, NameTheFactorOfAVelocity) {
  steelyard::Run run = sines();
  for (Index s = 0; s < 4000; ++s) run.samples.row(1, 1)[s] *= 180 / M_PI;
  const SignalScan found = scan(run);
  // Trapezoids over 10 steps of 5 ms at 2.2 rad/s are good to (ω h)²/12 = 1e-5.
  EXPECT_NEAR(found.motion_velocity(1, 1) / found.motion_squared[1], 180 / M_PI, 1e-4 * 180 / M_PI);
  const std::vector<Finding> findings = find(run);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].code, "velocity-scale");
  EXPECT_EQ(findings[0].joint, "elbow");
  EXPECT_NE(findings[0].evidence.find("57.3"), std::string::npos) << findings[0].evidence;
}

TEST(Signals, TellAWrongRateFromAWrongColumn) {
  steelyard::Run run = sines();
  for (Index s = 0; s < 4000; ++s) run.samples.time()[s] *= 2;
  const std::vector<Finding> findings = find(run);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].code, "time-scale");
  EXPECT_NE(findings[0].evidence.find("2 times"), std::string::npos) << findings[0].evidence;
}

TEST(Signals, SeeTheQuantumOfAColumn) {
  steelyard::Run run = sines();
  constexpr double kQuantum = 0.017;
  for (Index s = 0; s < 4000; ++s)
    run.samples.row(0, 0)[s] = kQuantum * std::round(run.samples.row(0, 0)[s] / kQuantum);
  // Steps are exact multiples up to rounding.
  EXPECT_NEAR(scan(run).scans[0][0].quantum, kQuantum, 1e-12);
  EXPECT_EQ(scan(run).scans[0][1].quantum, 0);
}

TEST(Signals, OfAJointThatRestsAreNotFrozen) {
  steelyard::Run run = sines();
  for (Index s = 2000; s < 2600; ++s) {
    // A real standstill: position, velocity and effort stay, and nothing jumps when the motion goes on.
    run.samples.row(0, 0)[s] = run.samples.row(0, 0)[2000];
    run.samples.row(1, 0)[s] = 0;
  }
  for (Index s = 2600; s < 4000; ++s) {
    run.samples.row(0, 0)[s] =
        run.samples.row(0, 0)[2000] + std::sin(1.3 * static_cast<double>(s - 2600) / kRate);
    run.samples.row(1, 0)[s] = 1.3 * std::cos(1.3 * static_cast<double>(s - 2600) / kRate);
  }
  for (const Finding& finding : find(run)) EXPECT_NE(finding.code, "frozen-channel") << finding.evidence;
}

TEST(ConstrainedLeastSquares, KeepsItsInequalitiesAndIsOptimal) {
  Random random(5, "constrained");
  for (int trial = 0; trial < 20; ++trial) {
    Eigen::MatrixXd Y(30, 6), A(3, 6);
    Eigen::VectorXd t(30);
    for (Index i = 0; i < 30; ++i) {
      t[i] = random.normal();
      for (Index j = 0; j < 6; ++j) Y(i, j) = random.normal();
    }
    for (Index i = 0; i < 3; ++i)
      for (Index j = 0; j < 6; ++j) A(i, j) = random.normal();
    const Eigen::MatrixXd H = Y.transpose() * Y;
    const Eigen::VectorXd b = Y.transpose() * t;
    const Eigen::VectorXd x = doctor::solve_constrained(H, b, A);
    // Sweeps end at changes of 1e-9 of the right side.
    EXPECT_GE((A * x).minCoeff(), -1e-6);
    // First order: no feasible direction towards random feasible points falls.
    const Eigen::VectorXd gradient = H * x - b;
    EXPECT_NEAR(gradient.dot(x), 0, 1e-6);  // 0 and 2x are feasible
    for (int k = 0; k < 50; ++k) {
      Eigen::VectorXd y(6);
      for (Index j = 0; j < 6; ++j) y[j] = random.normal();
      if ((A * y).minCoeff() >= 0) {
        EXPECT_GE(gradient.dot(y - x), -1e-6);
      }
    }
  }
}

}  // namespace
}  // namespace steelyard
