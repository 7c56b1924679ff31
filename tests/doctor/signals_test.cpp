// Signals whose faults are known because they were made.
#include <algorithm>
#include <cmath>

#include "sines.hpp"

namespace steelyard {
namespace signals_test {

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

// A sensor with a dead zone, whose other levels lie unevenly.
TEST(Signals, OfUnevenLevelsAreNotMissing) {
  for (const bool drops_out : {false, true}) {
    steelyard::Run run = sines();
    for (Index s = 0; s < 4000; ++s) {
      double& x = run.samples.row(2, 1)[s];
      const double size =
          std::abs(x) < 1 ? 0 : 1 + 0.011 * std::floor(std::pow((std::abs(x) - 1) / 0.01, 0.97));
      x = drops_out && s % 50 == 7 ? 0 : std::copysign(size, x);
    }
    bool named = false;
    for (const Finding& finding : find(run)) named |= finding.code == "effort-dropout";
    EXPECT_EQ(named, drops_out);
  }
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

TEST(Signals, ContradictAStatedRate) {
  const steelyard::Run run = sines();
  SignalUse use;
  for (const double rate : {0.0, 200.0, 201.0, 400.0, 100.0}) {
    use.rate = rate;
    const Finding finding = only(signal_findings(scan(run), kJoints, "run", use));
    EXPECT_EQ(finding.code, rate == 400 || rate == 100 ? "time-scale" : "") << rate;
    if (rate == 400) {
      EXPECT_NE(finding.evidence.find("5 ms apart, 200 Hz, and the study's `rate` is 400 Hz"),
                std::string::npos)
          << finding.evidence;
    }
  }
}

TEST(Signals, ThatFreezeAreNamedBesideALongerRest) {
  for (const int channel : {0, 2}) {
    steelyard::Run run = sines();
    add_rest(run);
    double* x = run.samples.row(channel, 1);
    std::fill_n(x + 2000, 100, x[2000]);
    const Finding finding = only(find(run));
    EXPECT_EQ(finding.code, "frozen-channel") << channel;
    EXPECT_EQ(finding.joint, "elbow");
    EXPECT_NE(finding.evidence.find("from 10.00 s"), std::string::npos) << finding.evidence;
  }
}

TEST(Signals, AtTheEndOfTheirRangeForOnceAreNotFrozen) {
  steelyard::Run run = sines();
  double* x = run.samples.row(2, 1);
  // Above what all other periods reach: clipped in one hold.
  for (Index s = 1900; s < 2600; ++s)
    x[s] = std::min(x[s] + 4 * std::exp(-std::pow((static_cast<double>(s) - 2250) / 100, 2)), 6.0);
  const Finding finding = only(find(run));
  EXPECT_EQ(finding.code, "saturation");
  EXPECT_EQ(finding.joint, "elbow");
}

// 27 samples are 0.13 s: longer than a channel that froze must last, and what this one always does.
TEST(Signals, ThatAreHeldAreNotFrozen) {
  steelyard::Run run = sines();
  for (Index s = 0; s < 4000; ++s)
    for (Index j = 0; j < 2; ++j) run.samples.row(2, j)[s] = run.samples.row(2, j)[s - s % 27];
  EXPECT_EQ(only(find(run)).code, "held-effort");
}

TEST(Signals, WithRepeatedRowsHaveNoWrongRate) {
  steelyard::Run run = sines();
  Random random(6, "repeats");
  for (Index s = 1; s < 4000; ++s) {
    if (random.uniform() >= 0.25) continue;
    for (Index r = 0; r < run.samples.rows(); ++r) {
      double* x = run.samples.data() + r * run.samples.stride();
      x[s] = x[s - 1];
    }
  }
  EXPECT_EQ(only(find(run)).code, "repeated-samples");
}

TEST(Signals, OfOneJointAloneTellAWrongRate) {
  steelyard::Run two = sines(), run;
  run.label.label = "run";
  run.samples = SampleBlock({"position", "velocity", "torque"}, 1, 4000);
  for (Index s = 0; s < 4000; ++s) {
    run.samples.time()[s] = 2 * two.samples.time()[s];
    for (int c = 0; c < 3; ++c) run.samples.row(c, 0)[s] = two.samples.row(c, 0)[s];
  }
  const std::unique_ptr<SampleSource> source = view_run(run);
  const std::vector<LogJoint> joints = {kJoints[0]};
  EXPECT_EQ(only(signal_findings(scan_signals(*source, joints), joints, "run")).code, "time-scale");
}

TEST(Signals, WithMillisecondsForSecondsHaveAnError) {
  steelyard::Run run = sines();
  for (Index s = 0; s < 4000; ++s) run.samples.time()[s] *= 1000;
  bool named = false;
  for (const Finding& finding : find(run))
    if (finding.code == "time-scale" && finding.evidence.find("stamps are") == 0) {
      named = true;
      EXPECT_EQ(finding.severity, Severity::error);
      EXPECT_NE(finding.evidence.find("read as ms"), std::string::npos) << finding.evidence;
    }
  EXPECT_TRUE(named);
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

// |effort| of a joint with dry friction alone: constant, but for a sample where it reverses.
TEST(Signals, OfAbsoluteEffortsHaveNoSpikesWhereTheSignChanges) {
  for (const bool is_spike : {false, true}) {
    steelyard::Run run = sines();
    Random random(7, "noise");
    double *velocity = run.samples.row(1, 1), *effort = run.samples.row(2, 1);
    for (Index s = 0; s < 4000; ++s) {
      const bool reverses = s > 0 && velocity[s] * velocity[s - 1] < 0;
      effort[s] = std::abs((reverses ? 0.2 : 5) + random.normal(0, 0.01));
    }
    if (is_spike) effort[2000] += 60;
    SignalUse use;
    use.effort_signs = false;
    const std::vector<Finding> findings = signal_findings(scan(run), kJoints, "run", use);
    EXPECT_EQ(only(findings).code, is_spike ? "spike" : "");
    use.effort_signs = true;
    bool named = false;
    for (const Finding& finding : signal_findings(scan(run), kJoints, "run", use))
      named |= finding.code == "spike";
    EXPECT_TRUE(named);
  }
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

// Loads that pull one way, and come near zero once: no |effort|, which bounces there. Nor is one whose zeros are missing samples.
TEST(Signals, OfEffortsThatComeNearZeroByChanceHaveSigns) {
  steelyard::Run run = sines();
  for (Index j = 0; j < 2; ++j) {
    double* x = run.samples.row(2, j);
    for (Index s = 0; s < 4000; ++s) x[s] += 6;
    x[0] = 0.1;
  }
  for (const Finding& finding : find(run)) EXPECT_NE(finding.code, "unsigned-effort") << finding.evidence;
  for (Index s = 7; s < 4000; s += 50) run.samples.row(2, 1)[s] = 0;
  run.samples.row(2, 0)[0] = 6;
  EXPECT_EQ(only(find(run)).code, "effort-dropout");
}

}  // namespace signals_test
}  // namespace steelyard
