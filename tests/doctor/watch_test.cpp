// Signals that are watched while another pass reads them, and set-ups examined on the beginning of a log.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "steelyard/core/random.hpp"
#include "steelyard/doctor/doctor.hpp"
#include "steelyard/log/prepare.hpp"

namespace steelyard {
namespace watch_test {

const std::vector<LogJoint> kJoints = {{"shoulder", JointKind::revolute}, {"elbow", JointKind::revolute}};

// With everything that a scan counts: repeats, holds, extremes, turns, values that are not numbers.
Run eventful() {
  Run run;
  run.label.label = "run";
  run.samples = SampleBlock({"position", "velocity", "torque"}, 2, 9000);
  Random random(7, "watch");
  for (Index s = 0; s < 9000; ++s) {
    const double t = 0.005 * static_cast<double>(s);
    run.samples.time()[s] = t;
    for (Index j = 0; j < 2; ++j) {
      const double w = 1.3 + 0.9 * static_cast<double>(j);
      run.samples.row(0, j)[s] = std::sin(w * t) + (s > 5000 && j == 1 ? 2 * std::numbers::pi : 0);
      run.samples.row(1, j)[s] = w * std::cos(w * t);
      run.samples.row(2, j)[s] = std::min(4.0, 5 * std::cos(w * t) + random.normal(0, 0.01));
    }
  }
  for (Index s = 3000; s < 3100; ++s) run.samples.row(2, 0)[s] = run.samples.row(2, 0)[2999];
  for (Index r = 0; r < 6; ++r)
    run.samples.data()[r * run.samples.stride() + 4096] = run.samples.data()[r * run.samples.stride() + 4095];
  run.samples.row(2, 1)[8000] = NAN;
  run.samples.row(2, 1)[6200] = 50;
  for (const Index s : {4095, 4096}) run.samples.row(1, 0)[s] = 30;
  for (Index r = 0; r < 6; ++r)
    for (const Index s : {3999, 4000, 4500}) run.samples.data()[r * run.samples.stride() + s] = 0;
  return run;
}

void expect_same(const SignalScan& a, const SignalScan& b) {
  EXPECT_EQ(a.samples, b.samples);
  EXPECT_EQ(a.repeated_rows, b.repeated_rows);
  EXPECT_EQ(a.wraps, b.wraps);
  EXPECT_EQ(a.motion_velocity, b.motion_velocity);
  EXPECT_EQ(a.lags.motion_velocity, b.lags.motion_velocity);
  EXPECT_EQ(a.zero_rows, b.zero_rows);
  ASSERT_EQ(a.zeros.size(), b.zeros.size());
  for (std::size_t k = 0; k < a.zeros.size(); ++k) {
    EXPECT_EQ(a.zeros[k].count, b.zeros[k].count);
    EXPECT_EQ(a.zeros[k].leap, b.zeros[k].leap);
  }
  ASSERT_EQ(a.alike.size(), b.alike.size());
  EXPECT_EQ(a.time.longest_step, b.time.longest_step);
  ASSERT_EQ(a.scans.size(), b.scans.size());
  for (std::size_t c = 0; c < a.scans.size(); ++c)
    for (std::size_t j = 0; j < a.scans[c].size(); ++j) {
      const ChannelScan &x = a.scans[c][j], &y = b.scans[c][j];
      EXPECT_EQ(x.lowest, y.lowest);
      EXPECT_EQ(x.highest, y.highest);
      EXPECT_NEAR(x.mean_step, y.mean_step, 1e-12 * y.mean_step);  // a sum in another order
      EXPECT_EQ(x.zeros, y.zeros);
      EXPECT_EQ(x.hold.begin, y.hold.begin);
      EXPECT_EQ(x.hold.step_behind, y.hold.step_behind);
      EXPECT_EQ(x.top.time, y.top.time);
      EXPECT_EQ(x.not_finite, y.not_finite);
      EXPECT_EQ(x.equal_neighbours, y.equal_neighbours);
      EXPECT_EQ(x.longest_hold, y.longest_hold);
      EXPECT_EQ(x.hold.motion, y.hold.motion);
      EXPECT_EQ(x.top.count, y.top.count);
      EXPECT_EQ(x.bottom.next_count, y.bottom.next_count);
      EXPECT_EQ(x.quantum, y.quantum);
      EXPECT_NEAR(x.deviation, y.deviation, 1e-12 * y.deviation);
      ASSERT_EQ(x.excursions.size(), y.excursions.size());
      for (std::size_t k = 0; k < x.excursions.size(); ++k) {
        EXPECT_EQ(x.excursions[k].size, y.excursions[k].size);
        EXPECT_EQ(x.excursions[k].time, y.excursions[k].time);
      }
    }
}

TEST(SignalWatch, SeesWhatAPassOfItsOwnSees) {
  const steelyard::Run run = eventful();
  const std::unique_ptr<SampleSource> own = view_run(run);
  const SignalScan alone = scan_signals(*own, kJoints);
  EXPECT_EQ(alone.repeated_rows, 2);
  EXPECT_EQ(alone.wraps[1], 1);
  EXPECT_EQ(alone.scans[2][1].not_finite, 1);
  EXPECT_GT(alone.scans[2][0].longest_hold, 100);
  EXPECT_GT(alone.scans[2][0].top.count, 100);
  EXPECT_EQ(alone.zero_rows, 3);
  ASSERT_EQ(alone.zeros.size(), 2u);
  EXPECT_EQ(alone.zeros[0].count, 2);
  SignalWatch watch = watch_signals(view_run(run), kJoints);
  SampleBlock block;
  for (const Index piece : {4096, 7, 1000}) {  // whatever the pieces, and of the last pass only
    watch.source->rewind();
    for (watch.source->read(piece, block); block.size() > 0; watch.source->read(piece, block)) {
    }
    expect_same(watch.scan(), alone);
  }
  watch.source.reset();
  expect_same(watch.scan(), alone);
}

TEST(SignalWatch, SeesAllThatAPreparationReads) {
  steelyard::Run run = eventful();
  run.samples.row(2, 1)[8000] = 0;
  const std::unique_ptr<SampleSource> own = view_run(run);
  SignalWatch watch = watch_signals(view_run(run), kJoints);
  PrepareOptions options;
  options.filter = {4, 8};
  PreparedRun prepared(std::move(watch.source), run.label, options);
  prepared.rewind();
  for (RawChunk raw; prepared.read(raw);) prepared.prepare(std::move(raw));
  expect_same(watch.scan(), scan_signals(*own, kJoints));
}

TEST(SignalFindings, NameImpossibleValuesAndSlowStamps) {
  steelyard::Run run = eventful();
  run.samples.row(2, 1)[8000] = 0;
  run.samples.row(0, 0)[600] = 1e18;
  const auto find = [&] {
    const std::unique_ptr<SampleSource> source = view_run(run);
    return signal_findings(scan_signals(*source, kJoints), kJoints, "run");
  };
  int impossible = 0;
  for (const Finding& finding : find()) {
    EXPECT_FALSE(finding.code == "encoder-wrap" && finding.joint == "shoulder") << finding.evidence;
    if (finding.code != "impossible-value") continue;
    ++impossible;
    EXPECT_EQ(finding.joint, "shoulder");
    EXPECT_EQ(finding.evidence, "the position is 1e+18 at 3 s");
  }
  EXPECT_EQ(impossible, 1);
  for (Index s = 0; s < 9000; ++s) run.samples.time()[s] *= 1e6;  // microseconds
  int slow = 0;
  for (const Finding& finding : find())
    if (finding.code == "time-scale" &&
        finding.evidence.find("read as us, they would be 5 ms apart") != std::string::npos)
      ++slow;
  EXPECT_EQ(slow, 1);
}

}  // namespace watch_test
}  // namespace steelyard
