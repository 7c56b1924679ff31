// Joints at rest are recognised from their positions: with noise, encoder steps and at any rate.
#include "steelyard/log/standstill.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "steelyard/core/random.hpp"
#include "steelyard/log/prepare.hpp"

namespace steelyard {
namespace standstill_test {

using std::numbers::pi;

struct Sensor {
  double rate = 500, noise = 0, resolution = 0;
};

// Half a second of rest after each second of motion, quintic from pose to pose: time in motion, and position.
struct Pose {
  double q = 0;
  double speed = 0;
};
Pose pose_at(double t) {
  const double cycle = std::floor(t / 1.5), s = std::min(1.0, t - 1.5 * cycle);
  const double from = std::sin(1.7 * cycle), to = std::sin(1.7 * (cycle + 1));
  return {from + (to - from) * s * s * s * (10 + s * (-15 + 6 * s)),
          (to - from) * 30 * s * s * (1 - s) * (1 - s)};
}

Run dwelling_run(const Sensor& sensor, double duration, std::uint64_t seed) {
  const auto samples = static_cast<Index>(duration * sensor.rate);
  steelyard::Run run{{}, SampleBlock({"position", "torque"}, 1, samples)};
  Random random(seed, "dwelling run");
  for (Index s = 0; s < samples; ++s) {
    const double t = static_cast<double>(s) / sensor.rate;
    double q = pose_at(t).q + sensor.noise * random.normal();
    if (sensor.resolution > 0) q = sensor.resolution * std::round(q / sensor.resolution);
    run.samples.time()[s] = t;
    run.samples.row(0)[s] = q;
  }
  return run;
}

struct Marked {
  Standstill rule;
  std::vector<double> moving;
};
Marked mark(const Run& run, double rate) {
  const std::unique_ptr<SampleSource> source = view_run(run);
  Marked out{standstill_of(*source, 1 / rate, VectorXd::Zero(1)), {}};
  out.moving.resize(static_cast<std::size_t>(run.samples.size()));
  mark_moving(out.rule, run.samples.row(0), run.samples.size(), run.samples.stride(), out.moving.data());
  return out;
}

TEST(Standstill, RestsAreFoundAndMotionIsKept) {
  for (const Sensor& sensor : {Sensor{1000, 0, 0},
                               {1000, 1e-6, 0},
                               {500, 1e-5, 0},
                               {250, 1e-4, 0},
                               {100, 1e-5, 1e-4},
                               {500, 0, 3e-4},
                               {200, 1e-4, 1e-3},
                               {1000, 1e-3, 0}}) {
    SCOPED_TRACE(testing::Message() << sensor.rate << " Hz, noise " << sensor.noise << ", step "
                                    << sensor.resolution);
    const steelyard::Run run = dwelling_run(sensor, 30, 5);
    const Marked marked = mark(run, sensor.rate);
    // The test compares means that are half a window apart: slower than this is standstill to it. A test at four standard
    // deviations on both sides doubles the tolerance.
    const double slowest =
        2 * marked.rule.tolerance[0] / (static_cast<double>(marked.rule.half) / sensor.rate);
    Index rests = 0, found = 0, fast = 0, lost = 0;
    const double window = static_cast<double>(marked.rule.reach()) / sensor.rate;
    for (Index s = 0; s < run.samples.size(); ++s) {
      const double t = static_cast<double>(s) / sensor.rate;
      const bool moving = marked.moving[static_cast<std::size_t>(s)] != 0;
      const bool deep = std::fmod(t, 1.5) > 1 + window && std::fmod(t, 1.5) < 1.5 - window;
      const double slower =
          std::min(std::abs(pose_at(t - window).speed), std::abs(pose_at(t + window).speed));
      if (deep) ++rests, found += !moving;
      if (slower > slowest) ++fast, lost += !moving;
    }
    ASSERT_GT(rests, 100);
    ASSERT_GT(fast, 100);
    EXPECT_GE(found, rests - rests / 100);
    EXPECT_EQ(lost, 0);
  }
}

TEST(Standstill, TheToleranceFollowsNoiseAndResolution) {
  const auto tolerance = [](const Sensor& sensor) {
    return mark(dwelling_run(sensor, 20, 9), sensor.rate).rule.tolerance[0];
  };
  EXPECT_EQ(tolerance({500, 0, 0}), kFinestEncoder);  // differences of a smooth motion are no noise
  EXPECT_NEAR(tolerance({500, 0, 1e-3}), 1e-3, 0.3e-3);
  const double half = 12;  // samples in 25 ms
  // 10000 differences give the standard deviation to about a per cent; the smallest step between two noisy values is nothing.
  EXPECT_NEAR(tolerance({500, 1e-4, 0}), 4e-4 * std::sqrt(2 / half), 0.1 * 4e-4 * std::sqrt(2 / half));
}

TEST(Standstill, JointsThatDoNotStickAlwaysMove) {
  const steelyard::Run run = dwelling_run({500, 1e-5, 0}, 10, 3);
  const std::unique_ptr<SampleSource> source = view_run(run);
  EXPECT_EQ(standstill_of(*source, 0.002, VectorXd::Constant(1, -1)).half, 0);
  EXPECT_EQ(standstill_of(*source, 0.002, {}).half, 0);
}

// A moving joint that reverses is never at rest for a whole window, however fine the steps of its encoder.
TEST(Standstill, AReversalIsNoRest) {
  // The extremes lie between two samples, so that windows about them are symmetric; within half a window of one, 25 ms, the
  // joint goes ω² (25 ms)² / 2 = 12 mrad, far more than the steps.
  for (const double resolution : {0.0, 1e-4, 1e-3}) {
    steelyard::Run run{{}, SampleBlock({"position", "torque"}, 1, 10000)};
    for (Index s = 0; s < 10000; ++s) {
      const double q = std::sin(2 * pi * 1e-3 * (static_cast<double>(s) + 0.5));
      run.samples.time()[s] = 1e-3 * static_cast<double>(s);
      run.samples.row(0)[s] = resolution > 0 ? resolution * std::round(q / resolution) : q;
    }
    Index still = 0;
    for (const double moving : mark(run, 1000).moving) still += moving == 0;
    EXPECT_EQ(still, 0) << resolution;
  }
}

TEST(Standstill, MarksDoNotDependOnChunks) {
  const steelyard::Run run = dwelling_run({500, 1e-5, 0}, 60, 3);
  std::vector<std::vector<double>> all;
  for (const Index size : {Index{512}, Index{4096}, Index{1} << 20}) {
    PrepareOptions options;
    options.filter = {4, 20};
    options.standstill = VectorXd::Zero(1);
    options.chunk_size = size;
    PreparedRun prepared(view_run(run), {}, options);
    std::vector<double>& moving = all.emplace_back();
    prepared.rewind();
    for (RawChunk raw; prepared.read(raw); raw = {}) {
      const PreparedChunk chunk = prepared.prepare(std::move(raw));
      const double* row = chunk.samples.row(chunk.samples.find(channel::kMoving));
      const Index first = chunk.chunk.core.begin - chunk.chunk.halo.begin;
      moving.insert(moving.end(), row + first, row + first + chunk.chunk.core.size());
    }
  }
  EXPECT_EQ(all[0], all[1]);
  EXPECT_EQ(all[0], all[2]);
}

}  // namespace standstill_test
}  // namespace steelyard
