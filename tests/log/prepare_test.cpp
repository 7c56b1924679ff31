#include "steelyard/log/prepare.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "steelyard/core/error.hpp"
#include "steelyard/core/random.hpp"
#include "steelyard/log/differences.hpp"

namespace steelyard {
namespace {

using std::numbers::pi;

// Two joints on sums of sines below 2 Hz, torques with noise, stamps with jitter.
Run moving_run(std::uint64_t seed, Index samples, double jitter, std::vector<std::string> channels) {
  Random random(seed, "moving run");
  Run run;
  run.samples = SampleBlock(std::move(channels), 2, samples);
  for (Index i = 0; i < samples; ++i) {
    const double t = 1e-3 * (static_cast<double>(i) + jitter * random.uniform(-0.4, 0.4));
    run.samples.time()[i] = t;
    for (Index j = 0; j < 2; ++j) {
      const double w1 = 2 * pi * (0.3 + 0.1 * j), w2 = 2 * pi * (1.1 + 0.3 * j);
      const double values[] = {std::sin(w1 * t) + 0.2 * std::cos(w2 * t),
                               w1 * std::cos(w1 * t) - 0.2 * w2 * std::sin(w2 * t),
                               -w1 * w1 * std::sin(w1 * t) - 0.2 * w2 * w2 * std::cos(w2 * t)};
      for (std::size_t c = 0; c < run.samples.channels().size(); ++c) {
        const std::string& name = run.samples.channels()[c];
        const double noise = random.normal();
        run.samples.row(static_cast<Index>(c), j)[i] = name == "position"       ? values[0]
                                                       : name == "velocity"     ? values[1]
                                                       : name == "acceleration" ? values[2]
                                                                                : 5 * values[2] + noise;
      }
    }
  }
  return run;
}

// The cores of all chunks put together.
SampleBlock collect(PreparedRun& run) {
  SampleBlock all;
  RawChunk raw;
  while (run.read(raw)) {
    const PreparedChunk chunk = run.prepare(raw);
    EXPECT_EQ(chunk.samples.size(), chunk.chunk.halo.size());
    if (all.channels().empty()) all = SampleBlock(chunk.samples.channels(), chunk.samples.joints());
    all.append(chunk.samples, chunk.chunk.core.begin - chunk.chunk.halo.begin, chunk.chunk.core.size());
  }
  return all;
}

PreparedRun prepare_run(const Run& run, const PrepareOptions& options) {
  return PreparedRun(view_run(run), run.label, options);
}

TEST(Prepare, ChunksOfAnySizeGiveTheWholeRun) {
  for (const double jitter : {0.0, 1.0}) {
    const auto run = moving_run(1, 15000, jitter, {"position", "torque"});
    PrepareOptions options;
    options.filter = {4, 15};
    options.column_filter = {4, 8};
    options.chunk_size = 1 << 20;
    PreparedRun whole_run = prepare_run(run, options);
    ASSERT_EQ(whole_run.plan().count(), 1);
    const SampleBlock whole = collect(whole_run);
    ASSERT_EQ(whole.size(), whole_run.preparation().grid.samples);
    for (const Index size : {500, 3000, 8192}) {
      options.chunk_size = size;
      PreparedRun chunked_run = prepare_run(run, options);
      const SampleBlock chunked = collect(chunked_run);
      ASSERT_EQ(chunked.size(), whole.size());
      for (const char* name : {"position", "velocity", "acceleration", "torque"}) {
        // Differences divide 1e-14 of the position by the step, twice for the acceleration.
        const double scale = name[0] == 'v' ? 1e3 : name[0] == 'a' ? 1e6 : 1;
        for (Index j = 0; j < 2; ++j) {
          const double* a = whole.row(whole.find(name), j);
          const double* b = chunked.row(chunked.find(name), j);
          for (Index i = 0; i < whole.size(); ++i)
            ASSERT_NEAR(a[i], b[i], 1e-12 * scale) << name << " " << size;
        }
      }
    }
  }
}

TEST(Prepare, SecondPassGivesTheSameBytes) {
  const auto run = moving_run(2, 9000, 1, {"position", "velocity", "torque"});
  PrepareOptions options;
  options.filter = {4, 20};
  options.chunk_size = 1024;
  PreparedRun prepared = prepare_run(run, options);
  EXPECT_EQ(prepared.passes(), 1) << "the scan of the stamps";
  const SampleBlock first = collect(prepared);
  prepared.rewind();
  EXPECT_EQ(prepared.passes(), 2);
  const SampleBlock second = collect(prepared);
  for (Index r = 0; r < first.rows(); ++r) {
    for (Index i = 0; i < first.size(); ++i) {
      ASSERT_EQ(first.data()[r * first.stride() + i], second.data()[r * second.stride() + i]);
    }
  }
}

TEST(Prepare, DerivativesAreThoseOfTheMotion) {
  const auto truth = moving_run(3, 12000, 0, {"position", "velocity", "acceleration"});
  for (const bool measured : {false, true}) {
    auto run = moving_run(
        3, 12000, 0,
        measured ? std::vector<std::string>{"position", "velocity"} : std::vector<std::string>{"position"});
    PrepareOptions options;
    options.filter = {4, 30};
    PreparedRun prepared = prepare_run(run, options);
    EXPECT_EQ(prepared.preparation().velocity_is_measured, measured);
    const SampleBlock all = collect(prepared);
    const Index trim = prepared.preparation().decimation.trim;
    // 1.4 Hz through a 30 Hz filter of order 4: 1 − 2e-11; differences: (ωh)²/6 = 1.3e-5 of 3 rad/s and 15
    // rad/s². Reflection turns the acceleration round at the ends; where the trim ends, a hundredth of that
    // is left.
    for (Index j = 0; j < 2; ++j) {
      for (Index i = trim; i < 12000 - trim; ++i) {
        const bool inside = i >= 3 * trim && i < 12000 - 3 * trim;
        ASSERT_NEAR(all.row(all.find("velocity"), j)[i], truth.samples.row(1, j)[i], inside ? 5e-5 : 2e-3);
        ASSERT_NEAR(all.row(all.find("acceleration"), j)[i], truth.samples.row(2, j)[i], inside ? 5e-4 : 0.3);
      }
    }
  }
}

TEST(Prepare, MeasuredVelocityCanBeIgnored) {
  auto run = moving_run(4, 500, 0, {"position", "velocity"});
  std::fill_n(run.samples.row(1), 1000, 99.0);
  PrepareOptions options;
  options.measured_velocity = false;
  PreparedRun prepared = prepare_run(run, options);
  const SampleBlock all = collect(prepared);
  EXPECT_LT(std::abs(all.row(1)[250]), 10);
}

TEST(Prepare, WithoutOptionsSamplesComeUnchanged) {
  const auto run = moving_run(5, 5000, 0, {"position", "velocity", "acceleration", "torque"});
  PreparedRun prepared = prepare_run(run, {});
  const SampleBlock all = collect(prepared);
  ASSERT_EQ(all.size(), 5000);
  for (Index c = 0; c < 4; ++c) {
    for (Index i = 0; i < 5000; ++i) ASSERT_EQ(all.row(c)[i], run.samples.row(c)[i]);
  }
  EXPECT_EQ(prepared.preparation().decimation.factor, 1);
  EXPECT_EQ(prepared.preparation().decimation.trim, 0);
}

TEST(Prepare, AutomaticChoicesFollowTheFilters) {
  const auto run = moving_run(6, 20000, 0, {"position", "torque"});
  PrepareOptions options;
  options.filter = {4, 10};
  options.column_filter = {4, 5};
  const PreparedRun prepared = prepare_run(run, options);
  const Preparation& done = prepared.preparation();
  EXPECT_EQ(done.decimation.factor, 80) << "by the lower cut-off";
  EXPECT_EQ(done.decimation.trim, std::max(done.filter->memory, done.column_filter->memory));
  EXPECT_EQ(prepared.plan().halo, done.column_filter->halo);
  EXPECT_GE(done.reach, done.filter->halo);
  EXPECT_EQ(prepared.plan().size, 32768) << "eight halos";
}

TEST(Prepare, RefusesWhatLeavesNothing) {
  PrepareOptions options;
  const auto no_position = moving_run(1, 100, 0, {"torque"});
  EXPECT_THROW(prepare_run(no_position, options), InputError);
  const auto run = moving_run(1, 100, 0, {"position"});
  options.filter = {4, 5};
  EXPECT_THROW(prepare_run(run, options), InputError) << "trimmed to nothing";
  options.trim = 0;
  EXPECT_NO_THROW(prepare_run(run, options));
  options.trim = 50;
  EXPECT_THROW(prepare_run(run, options), InputError);
  const auto two = moving_run(1, 2, 0, {"position"});
  EXPECT_THROW(prepare_run(two, {}), InputError);
  options = {};
  options.velocity_below = VectorXd::Constant(3, 0.1);
  EXPECT_THROW(prepare_run(run, options), InputError);
  options.velocity_below = VectorXd::Constant(1, -0.1);
  EXPECT_THROW(prepare_run(run, options), InputError);
  options = {};
  options.difference_order = 3;
  EXPECT_THROW(prepare_run(run, options), InputError);
  options = {};
  options.decimation = 0;
  EXPECT_THROW(prepare_run(run, options), InputError);
}

}  // namespace
}  // namespace steelyard
