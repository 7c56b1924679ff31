// Where |effort| is cut, on signals whose changes of sign are known.
#include "steelyard/signs/segments.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "steelyard/core/error.hpp"

namespace steelyard {
namespace {

constexpr double kRate = 50;

// One joint with torque f(t) over ten seconds, velocity cos t.
template <typename Signal>
SampleBlock log_of(const Signal& signal, bool absolute = true) {
  SampleBlock block({"velocity", "torque"}, 1, 500);
  for (Index s = 0; s < block.size(); ++s) {
    const double t = static_cast<double>(s) / kRate;
    block.row(0)[s] = std::cos(t);
    block.row(1)[s] = absolute ? std::abs(signal(t)) : signal(t);
  }
  return block;
}

double wave(double t) {
  return std::sin(2 * std::numbers::pi * t / 5);
}

TEST(FindSegments, KeepOneSignEach) {
  const SegmentedRun run = detect_segments(log_of(wave), kRate);
  ASSERT_EQ(run.segments.size(), 4U);  // half waves of 2.5 s
  for (const SignSegment& segment : run.segments) {
    const double first = wave(static_cast<double>(segment.range.begin) / kRate);
    for (Index s = segment.range.begin; s < segment.range.end; ++s)
      EXPECT_GT(first * wave(static_cast<double>(s) / kRate), 0) << s;
  }
  // sin above 0.3 of its RMS: 1 − 2 asin(0.212)/π = 0.864 of the time, less three samples at each edge.
  EXPECT_NEAR(run.kept_share, 0.864 - 8 * 3 / 500.0, 0.02);
}

// The minimum of 1 + 0.6 cos is 0.37 of the RMS, but too flat for a change of sign; noise changes nothing.
TEST(FindSegments, KeepAMinimumThatTurnsBeforeZero) {
  for (const double noise : {0.0, 0.05}) {
    std::mt19937_64 random(7);
    std::normal_distribution<double> normal(0, noise > 0 ? noise : 1);
    const auto dip = [&](double t) {
      return 1 + 0.6 * std::cos(2 * std::numbers::pi * t / 5) + (noise > 0 ? normal(random) : 0);
    };
    EXPECT_EQ(detect_segments(log_of(dip), kRate).segments.size(), 1U) << noise;
    const auto wave_of = [&](double t) { return wave(t) + (noise > 0 ? normal(random) : 0); };
    EXPECT_EQ(detect_segments(log_of(wave_of), kRate).segments.size(), 4U) << noise;
  }
  SegmentOptions options;
  options.low_minimum = 0.8;
  EXPECT_EQ(detect_segments(log_of([](double t) { return 1 + 0.6 * std::cos(2 * std::numbers::pi * t / 5); }),
                            kRate, options)
                .segments.size(),
            3U);
}

TEST(FindSegments, CutAtALowMinimumThatHidesAChangeOfSign) {
  // Through zero so fast that the filter lifts |τ| well above the threshold.
  const auto fast = [](double t) { return std::tanh(40 * (t - 5)); };
  SegmentOptions options;
  options.low_minimum = 0;
  EXPECT_EQ(detect_segments(log_of(fast), kRate, options).segments.size(), 1U);  // mixed
  const SegmentedRun run = detect_segments(log_of(fast), kRate);
  ASSERT_EQ(run.segments.size(), 2U);
  EXPECT_LE(run.segments[0].range.end, 250);
  EXPECT_GT(run.segments[1].range.begin, 250);
}

TEST(FindSegments, CutAtReversalsOnlyWhenAsked) {
  const auto constant = [](double) { return 1.0; };
  EXPECT_EQ(detect_segments(log_of(constant), kRate).segments.size(), 1U);
  SegmentOptions options;
  options.at_reversals = true;
  EXPECT_EQ(detect_segments(log_of(constant), kRate, options).segments.size(), 4U);  // cos t: π/2, 3π/2, 5π/2
}

TEST(FindSegments, OfAJointWithSignAreOne) {
  SegmentOptions options;
  options.has_sign = {true};
  const SegmentedRun run = detect_segments(log_of(wave, false), kRate, options);
  ASSERT_EQ(run.segments.size(), 1U);
  EXPECT_EQ(run.segments[0].sign, 1);
  EXPECT_EQ(run.segments[0].range, (Range{0, 500}));
}

TEST(FindSegments, RefuseSignedEffortsAndNothing) {
  try {
    detect_segments(log_of(wave, false), kRate);
    FAIL() << "negative efforts of a joint without sign";
  } catch (const InputError& error) {
    EXPECT_NE(error.complaint().what.find("has a sign"), std::string::npos);
    EXPECT_NE(error.complaint().remedy.find("unsigned"), std::string::npos);
  }
  try {
    detect_segments(log_of([](double) { return 0.0; }), kRate);
    FAIL() << "all efforts are zero";
  } catch (const InputError& error) {
    EXPECT_NE(error.complaint().what.find("all efforts are zero"), std::string::npos);
  }
  SegmentOptions options;
  options.shortest = 400;
  EXPECT_THROW(detect_segments(log_of(wave), kRate, options), InputError);
  options.shortest = 1;
  EXPECT_THROW(detect_segments(log_of(wave), kRate, options), InputError);
  EXPECT_THROW(detect_segments(log_of([](double t) { return t > 5 ? NAN : 1.0; }), kRate), InputError);
}

TEST(UseSegments, SortsAndRefusesOverlaps) {
  const SegmentedRun run = use_segments(log_of(wave), kRate, {{0, {300, 350}, 0, 0}, {0, {20, 100}, -1, 0}});
  EXPECT_EQ(run.segments[0].range.begin, 20);
  EXPECT_EQ(run.segments[0].sign, -1);
  EXPECT_DOUBLE_EQ(run.kept_share, 130.0 / 500);
  EXPECT_THROW(use_segments(log_of(wave), kRate, {{0, {20, 100}, 0, 0}, {0, {99, 120}, 0, 0}}), InputError);
  EXPECT_THROW(use_segments(log_of(wave), kRate, {{0, {20, 501}, 0, 0}}), InputError);
  EXPECT_THROW(use_segments(log_of(wave), kRate, {{1, {20, 50}, 0, 0}}), InputError);
}

}  // namespace
}  // namespace steelyard
