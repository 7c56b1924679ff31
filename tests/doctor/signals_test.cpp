// Signals whose faults are known because they were made.
#include "steelyard/doctor/signals.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "doctor/constrained.hpp"
#include "steelyard/core/random.hpp"

namespace steelyard {
namespace signals_test {

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
  return signal_findings(scan(run), kJoints, "run");
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

// A velocity column that is wrong for one joint is no error where velocities are differences of the positions.
TEST(Signals, OfAVelocityThatIsNotUsedAreNoErrors) {
  steelyard::Run run = sines();
  for (Index s = 0; s < 4000; ++s) run.samples.row(1, 1)[s] *= 3;
  for (const bool used : {true, false}) {
    SignalUse use;
    use.velocity = used;
    const std::vector<Finding> findings = signal_findings(scan(run), kJoints, "run", use);
    ASSERT_EQ(findings.size(), 1u);
    EXPECT_EQ(findings[0].code, "velocity-scale");
    EXPECT_EQ(findings[0].joint, "elbow");
    EXPECT_EQ(findings[0].severity, used ? Severity::error : Severity::note);
  }
}

// |effort| of a joint with dry friction rests at its minimum where the effort changes sign: no end of a range. At its
// maximum it is one.
TEST(Signals, AreSaturatedAtTheLargestAbsoluteEffortOnly) {
  for (const bool top : {false, true}) {
    steelyard::Run run = sines();
    for (Index s = 0; s < 4000; ++s) {
      double& effort = run.samples.row(2, 0)[s];
      effort = top ? std::min(std::abs(effort), 4.0) : std::max(std::abs(effort), 1.0);
    }
    SignalUse use;
    use.effort_signs = false;
    int saturated = 0;
    for (const Finding& finding : signal_findings(scan(run), kJoints, "run", use))
      saturated += finding.code == "saturation";
    EXPECT_EQ(saturated, top ? 1 : 0);
  }
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

TEST(Signals, EffortsThatAreMissingAreZeros) {
  steelyard::Run run = sines();
  for (Index s = 7; s < 4000; s += 50) run.samples.row(2, 1)[s] = 0;
  const std::vector<Finding> findings = find(run);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].code, "effort-dropout");
  EXPECT_EQ(findings[0].joint, "elbow");
  // A coarse sensor is often at zero, and so is a joint at rest.
  run = sines();
  for (Index s = 0; s < 4000; ++s) {
    double& coarse = run.samples.row(2, 1)[s];
    coarse = 0.05 * std::round(coarse / 0.05);
    if (s < 500) run.samples.row(2, 0)[s] = run.samples.row(1, 0)[s] = 0, run.samples.row(0, 0)[s] = 0.3;
  }
  for (const Finding& finding : find(run)) EXPECT_NE(finding.code, "effort-dropout") << finding.evidence;
}

TEST(Signals, EffortsThatAreHeldAreLate) {
  for (const Index hold : {1, 2, 10}) {
    steelyard::Run run = sines();
    for (Index s = 0; s < 4000; ++s)
      for (Index j = 0; j < 2; ++j) run.samples.row(2, j)[s] = run.samples.row(2, j)[s - s % hold];
    std::vector<std::string> codes;
    for (const Finding& finding : find(run)) codes.push_back(finding.code);
    EXPECT_EQ(codes, hold == 1 ? std::vector<std::string>() : std::vector<std::string>{"held-effort"})
        << hold;
  }
  steelyard::Run run = sines();  // equal by resolution
  for (Index s = 0; s < 4000; ++s)
    for (Index j = 0; j < 2; ++j) run.samples.row(2, j)[s] = 0.1 * std::round(run.samples.row(2, j)[s] / 0.1);
  for (const Finding& finding : find(run)) EXPECT_NE(finding.code, "held-effort") << finding.evidence;
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

// The only finding, or nothing.
Finding only(const std::vector<Finding>& findings) {
  for (const Finding& finding : findings)
    if (findings.size() > 1)
      ADD_FAILURE() << finding.code << " " << finding.joint << ": " << finding.evidence;
  return findings.size() == 1 ? findings[0] : Finding{};
}

TEST(Signals, WithSamplesThatStandApartAreNamedWithTimeAndSize) {
  for (const int width : {1, 2, 3})
    for (const int channel : {0, 1, 2}) {
      steelyard::Run run = sines();
      for (int k = 0; k < width; ++k) run.samples.row(channel, 1)[2000 + k] += 60;
      const Finding finding = only(find(run));
      EXPECT_EQ(finding.code, "spike") << width << " of channel " << channel;
      EXPECT_EQ(finding.joint, "elbow");
      EXPECT_EQ(finding.severity, Severity::error);
      EXPECT_NE(finding.evidence.find("at 10 s"), std::string::npos) << finding.evidence;
    }
  // Longer than a spike, and smaller than what the effort does itself.
  steelyard::Run run = sines();
  for (int k = 0; k < 4; ++k) run.samples.row(2, 1)[2000 + k] += 60;
  run.samples.row(2, 0)[2000] += 0.3;
  EXPECT_EQ(only(find(run)).code, "");
}

TEST(Signals, WithABadRowHaveOneFinding) {
  steelyard::Run run = sines();
  for (Index r = 0; r < 6; ++r) run.samples.data()[r * run.samples.stride() + 2100] += 100;
  const Finding apart = only(find(run));
  EXPECT_EQ(apart.code, "spike");
  EXPECT_EQ(apart.joint, "run");
  run = sines();
  for (const Index s : {0, 2100, 2102, 3000})
    for (Index r = 0; r < 6; ++r) run.samples.data()[r * run.samples.stride() + s] = 0;
  const Finding zero = only(find(run));
  EXPECT_EQ(zero.code, "zero-row");
  EXPECT_EQ(zero.joint, "run");
  // The first row's positions were zero anyway: what follows it is near.
  EXPECT_NE(zero.evidence.find("3 of 4000 rows"), std::string::npos) << zero.evidence;
  EXPECT_NE(zero.evidence.find("10.5 s"), std::string::npos) << zero.evidence;
}

TEST(Signals, OfARobotThatRestsInItsZeroHaveNoZeroRows) {
  steelyard::Run run = sines();
  for (Index s = 0; s < 4000; ++s) {
    const bool rests = s >= 2000 && s < 2400;
    const double t = static_cast<double>(s < 2400 ? s : s - 400) / kRate;
    for (Index j = 0; j < 2; ++j) {
      const double w = M_PI * static_cast<double>(j + 1) / 5;
      run.samples.row(0, j)[s] = rests ? 0 : std::sin(w * t) * std::sin(w * t);
      run.samples.row(1, j)[s] = rests ? 0 : w * std::sin(2 * w * t);
      if (rests) run.samples.row(2, j)[s] = 0;
    }
  }
  EXPECT_GE(scan(run).zero_rows, 400);
  for (const Finding& finding : find(run)) EXPECT_NE(finding.code, "zero-row") << finding.evidence;
}

TEST(Signals, OfTwoJointsFromOneColumnAreTold) {
  for (const int channel : {0, 1, 2}) {
    steelyard::Run run = sines();
    std::copy_n(run.samples.row(channel, 0), 4000, run.samples.row(channel, 1));
    const Finding finding = only(find(run));
    EXPECT_EQ(finding.code, "same-column");
    EXPECT_EQ(finding.joint, "elbow");
    EXPECT_NE(finding.evidence.find("that of shoulder in 4000 of 4000"), std::string::npos)
        << finding.evidence;
  }
  // Both at rest: equal, and no matter.
  steelyard::Run run = sines();
  for (Index j = 0; j < 2; ++j)
    for (int channel : {0, 1}) std::fill_n(run.samples.row(channel, j), 4000, 0.0);
  for (const Finding& finding : find(run)) EXPECT_NE(finding.code, "same-column") << finding.evidence;
}

TEST(Signals, OfEffortsWithoutSignAreTold) {
  steelyard::Run run = sines();
  for (Index j = 0; j < 2; ++j)
    for (Index s = 0; s < 4000; ++s) run.samples.row(2, j)[s] = std::abs(run.samples.row(2, j)[s]);
  const Finding finding = only(find(run));
  EXPECT_EQ(finding.code, "unsigned-effort");
  EXPECT_NE(finding.remedy.find("unsigned: true"), std::string::npos);
  EXPECT_TRUE(signal_findings(scan(run), kJoints, "run", {.effort_signs = false}).empty());
  // Loads that pull one way.
  run = sines();
  for (Index j = 0; j < 2; ++j)
    for (Index s = 0; s < 4000; ++s) run.samples.row(2, j)[s] += 6;
  EXPECT_EQ(only(find(run)).code, "");
}

TEST(Signals, OfLateVelocitiesHaveTheirDelay) {
  for (const double late : {0.2 - 0.02, 0.1, 0.02, -0.05}) {
    steelyard::Run run = sines();
    for (Index s = 0; s < 4000; ++s)
      for (Index j = 0; j < 2; ++j) {
        const double w = 1.3 + 0.9 * static_cast<double>(j);
        run.samples.row(1, j)[s] = w * std::cos(w * (static_cast<double>(s) / kRate - late));
      }
    const Finding all = only(find(run));
    EXPECT_EQ(all.code, "velocity-delay");
    EXPECT_EQ(all.joint, "");
    const std::string size = std::to_string(std::lround(std::abs(1e3 * late))) + " ms ";
    EXPECT_NE(all.evidence.find(size + (late > 0 ? "later" : "earlier")), std::string::npos) << all.evidence;
    EXPECT_EQ(all.severity, std::abs(late) > 0.03 ? Severity::error : Severity::warning) << late;
    const std::vector<Finding> unused = signal_findings(scan(run), kJoints, "run", {.velocity = false});
    EXPECT_EQ(only(unused).severity, Severity::note);
    std::copy_n(sines().samples.row(1, 0), 4000, run.samples.row(1, 0));
    const Finding one = only(find(run));
    EXPECT_EQ(one.code, "velocity-delay");
    EXPECT_EQ(one.joint, "elbow");
  }
}

TEST(Signals, OfNoisyVelocitiesAreTold) {
  steelyard::Run run = sines();
  Random random(4, "velocity");
  for (Index s = 0; s < 4000; ++s) {
    run.samples.row(1, 0)[s] += random.normal(0, 0.05);
    run.samples.row(1, 1)[s] += random.normal(0, 0.8);
  }
  const Finding finding = only(find(run));
  EXPECT_EQ(finding.code, "velocity-noise");
  EXPECT_EQ(finding.joint, "elbow");
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

}  // namespace signals_test
}  // namespace steelyard
