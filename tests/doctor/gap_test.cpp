// A long stretch without samples: the doctor's copy has the rows of the fit, none of the line across the gap.
#include <gtest/gtest.h>

#include <algorithm>

#include "simulated_logs.hpp"
#include "steelyard/doctor/doctor.hpp"

namespace steelyard::testing {
namespace gap_test {

constexpr double kBegin = 11, kEnd = 19;  // [s] of 30 that are missing

steelyard::Run with_gap(const steelyard::Run& run) {
  const SampleBlock& all = run.samples;
  const auto index = [&](double seconds) {
    return std::lower_bound(all.time(), all.time() + all.size(), all.time()[0] + seconds) - all.time();
  };
  steelyard::Run out;
  out.label = run.label;
  out.samples = SampleBlock(all.channels(), all.joints());
  out.samples.append(all, 0, index(kBegin));
  out.samples.append(all, index(kEnd), all.size() - index(kEnd));
  out.samples.pack();
  return out;
}

TEST(Gap, CoarseCopyHasNoSamplesInIt) {
  const SimulatedLog log = random_log(4, 0.01, 1);
  const steelyard::Run run = with_gap(log.run);
  const TimeScan time = scan_time(*view_run(run));
  const CoarseRun copy = coarse_run(view_run(run), "run", time);
  EXPECT_GT(copy.size(), 300);
  for (const double stamp : copy.stamps) EXPECT_TRUE(stamp < kBegin || stamp > kEnd) << stamp;
}

TEST(Gap, NothingIsWrongBesideIt) {
  for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6}) {
    const SimulatedLog log = random_log(2 + static_cast<int>(seed) % 5, 0.01, seed);
    const steelyard::Run run = with_gap(log.run);
    const Examination found =
        examine(log.robot, {{{"run", RunRole::fit, ""}, [&] { return view_run(run); }}});
    bool gap = false;
    for (const Finding& finding : found.findings) {
      gap = gap || finding.code == "gaps";
      EXPECT_NE(finding.severity, Severity::error)
          << "seed " << seed << ": " << finding.code << " " << finding.joint << " " << finding.evidence;
      EXPECT_NE(finding.code, "effort-jump") << "seed " << seed;
      EXPECT_NE(finding.code, "unexplained-effort") << "seed " << seed;
    }
    EXPECT_TRUE(gap);
    ASSERT_TRUE(found.set_up);
    // The noise of the efforts is 1 % of each joint's.
    EXPECT_LT(found.set_up->given.relative_fitted.maxCoeff(), 0.03) << "seed " << seed;
  }
}

// A joint dwells until the samples stop, and is elsewhere when they come back.
TEST(Gap, ADwellThatEndsInItIsNoFrozenChannel) {
  for (const bool is_gap : {true, false}) {
    steelyard::Run run = random_log(3, 0.01, 1).run;
    SampleBlock& all = run.samples;
    const Index end = all.size() / 2, begin = end - all.size() / 20;
    for (const char* name : {"position", "velocity"}) {
      const int channel = all.find(name);
      if (channel < 0) continue;
      double* x = all.row(channel, 1);
      for (Index s = begin; s < end; ++s) x[s] = std::string(name) == "velocity" ? 0 : x[begin];
    }
    if (is_gap)
      for (Index s = end; s < all.size(); ++s) all.time()[s] += 0.5;
    const Examination found =
        examine(random_log(3, 0.01, 1).robot, {{{"run", RunRole::fit, ""}, [&] { return view_run(run); }}});
    const bool frozen = std::any_of(found.findings.begin(), found.findings.end(), [](const Finding& finding) {
      return finding.code == "frozen-channel" && finding.evidence.find("position") != std::string::npos;
    });
    EXPECT_EQ(frozen, !is_gap);
  }
}

}  // namespace gap_test
}  // namespace steelyard::testing
