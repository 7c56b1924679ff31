// Velocities whose faults are known because they were made.
#include <algorithm>
#include <cmath>

#include "sines.hpp"

namespace steelyard {
namespace signals_test {

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

TEST(Signals, OfAJointThatIsHeldHaveNoWrongVelocity) {
  steelyard::Run run = sines();
  Random random(8, "held");
  for (Index s = 0; s < 4000; ++s) {
    run.samples.row(0, 1)[s] = 0.4 + random.normal(0, 1e-4);
    run.samples.row(1, 1)[s] = random.normal(0, 0.01);
  }
  for (const Finding& finding : find(run)) EXPECT_NE(finding.code, "velocity-scale") << finding.evidence;
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

// Velocities that are right, beside positions so noisy that their differences are worse: nothing is gained by these.
TEST(Signals, OfVelocitiesThatAreBetterThanDifferencesHaveNoNoise) {
  steelyard::Run run = sines();
  Random random(9, "position");
  for (Index s = 0; s < 4000; ++s) {
    run.samples.row(0, 0)[s] += random.normal(0, 0.01);
    run.samples.row(0, 1)[s] += random.normal(0, 0.001);
    run.samples.row(1, 1)[s] += random.normal(0, 0.8);
  }
  const SignalScan found = scan(run);
  EXPECT_NEAR(found.position_noise[0], 0.01, 0.001);
  EXPECT_NEAR(found.position_noise[1], 0.001, 0.0001);
  std::vector<std::string> named;
  for (const Finding& finding : signal_findings(found, kJoints, "run"))
    if (finding.code == "velocity-noise") named.push_back(finding.joint);
  EXPECT_EQ(named, std::vector<std::string>{"elbow"});
}

}  // namespace signals_test
}  // namespace steelyard
