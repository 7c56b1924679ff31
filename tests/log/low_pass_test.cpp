#include "steelyard/log/low_pass.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>
#include <vector>

#include "log/filter/low_pass_kernel.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/core/random.hpp"

namespace steelyard {
namespace {

using std::numbers::pi;
using Signal = std::vector<double>;

Signal filtered(const LowPass& filter, Signal x, RunEnds ends = {}) {
  filter_zero_phase(filter, x.data(), static_cast<Index>(x.size()), 1, static_cast<Index>(x.size()), ends);
  return x;
}

double largest(const Signal& x) {
  double top = 0;
  for (const double value : x) top = std::max(top, std::abs(value));
  return top;
}

// A random walk: rough, with large slow parts, as positions and columns are.
Signal random_walk(std::uint64_t seed, Index samples) {
  Random random(seed, "low-pass");
  Signal x;
  double value = random.normal();
  for (Index i = 0; i < samples; ++i) x.push_back(value += 0.1 * random.normal());
  return x;
}

// Referee: long double, direct form, transfer function of each section from its analog prototype; whole run.
std::vector<long double> referee(const LowPass& filter, const Signal& x) {
  const long double g = std::tan(std::numbers::pi_v<long double> * filter.cutoff / filter.rate);
  const auto n = static_cast<Index>(x.size());
  const Index pad = std::min(n - 1, filter.memory);
  std::vector<long double> y;
  for (Index k = pad; k > 0; --k) y.push_back(2.0L * x[0] - x[k]);
  y.insert(y.end(), x.begin(), x.end());
  for (Index k = 1; k <= pad; ++k) y.push_back(2.0L * x[n - 1] - x[n - 1 - k]);
  for (int pass = 0; pass < 2; ++pass) {
    const auto section = [&](long double b0, long double b1, long double b2, long double a0, long double a1,
                             long double a2) {
      b0 /= a0, b1 /= a0, b2 /= a0, a1 /= a0, a2 /= a0;
      // Steady states for the constant y[0]: gain one at zero frequency.
      long double s2 = (b2 - a2) * y[0], s1 = (b1 - a1) * y[0] + s2;
      for (long double& value : y) {
        const long double in = value;
        value = b0 * in + s1;
        s1 = b1 * in - a1 * value + s2;
        s2 = b2 * in - a2 * value;
      }
    };
    if (filter.order % 2) section(g, g, 0, 1 + g, g - 1, 0);
    for (int i = 0; i < filter.order / 2; ++i) {
      const long double k = 2 * std::sin((2 * i + 1) * std::numbers::pi_v<long double> / (2 * filter.order));
      section(g * g, 2 * g * g, g * g, 1 + k * g + g * g, 2 * (g * g - 1), 1 - k * g + g * g);
    }
    std::reverse(y.begin(), y.end());
  }
  return {y.begin() + pad, y.begin() + pad + n};
}

TEST(LowPass, GainIsTheAnalyticButterworthSquared) {
  for (int order = 1; order <= 10; ++order) {
    for (const double cutoff : {0.01, 0.1, 0.3}) {
      const LowPass filter = design_low_pass(order, cutoff, 1);
      // The response to an impulse far from both ends; its transform is the gain.
      const Index half = filter.halo + 10;
      Signal impulse(static_cast<std::size_t>(2 * half + 1), 0.0);
      impulse[half] = 1;
      const Signal response = filtered(filter, impulse);
      for (const double frequency : {0.0, 0.5 * cutoff, cutoff, 1.5 * cutoff}) {
        double real = 0, imaginary = 0;
        for (Index i = -half; i <= half; ++i) {
          real += response[half + i] * std::cos(2 * pi * frequency * i);
          imaginary += response[half + i] * std::sin(2 * pi * frequency * i);
        }
        const double h = magnitude(filter, frequency);
        // A sum of ~1e4 terms of at most 1, each with a few roundings, and 1e-16 of tail cut off.
        EXPECT_NEAR(real, h * h, 1e-12) << order << " " << cutoff << " " << frequency;
        EXPECT_NEAR(imaginary, 0, 1e-12);
        if (frequency == cutoff) {
          EXPECT_NEAR(h * h, 0.5, 1e-14);
        }
      }
    }
  }
}

TEST(LowPass, SinusoidKeepsItsPhase) {
  const LowPass filter = design_low_pass(4, 5, 1000);
  Signal x;
  for (int i = 0; i < 20000; ++i) x.push_back(std::sin(2 * pi * 3 * i / 1000.0 + 0.3));
  const Signal y = filtered(filter, x);
  const double gain = std::pow(magnitude(filter, 3), 2);
  for (Index i = filter.halo; i < 20000 - filter.halo; ++i) ASSERT_NEAR(y[i], gain * x[i], 1e-12);
}

TEST(LowPass, SymmetricInputStaysSymmetric) {
  const LowPass filter = design_low_pass(5, 20, 1000);
  Random random(3, "symmetric");
  const Index half = 3000;
  Signal x(2 * half + 1);
  for (Index i = 0; i <= half; ++i) x[half + i] = x[half - i] = random.normal();
  const Signal y = filtered(filter, x);
  // The ends are started differently by the two passes; away from them nothing of that is left.
  for (Index i = 0; i < half - filter.halo; ++i) ASSERT_NEAR(y[half + i], y[half - i], 1e-13);
}

TEST(LowPass, ConstantsAndStraightLinesPass) {
  for (const double cutoff : {0.05, 5.0, 400.0}) {
    const LowPass filter = design_low_pass(4, cutoff, 1000);
    const Signal constant = filtered(filter, Signal(5000, 3.7));
    // Differences x − s₂ vanish exactly for constants: not a single rounding.
    for (const double value : constant) ASSERT_EQ(value, 3.7);
  }
  const LowPass filter = design_low_pass(4, 20, 1000);
  Signal line;
  for (int i = 0; i < 4000; ++i) line.push_back(2 - 1e-3 * i);
  const Signal y = filtered(filter, line);
  // Odd reflection continues a line as a line; the start is steady instead of sloped, which has decayed to
  // 1e-2 of the lag at the ends and to nothing inside.
  for (Index i = 0; i < 4000; ++i) ASSERT_NEAR(y[i], line[i], 1e-3) << i;
  for (Index i = filter.halo; i < 4000 - filter.halo; ++i) ASSERT_NEAR(y[i], line[i], 1e-13);
}

TEST(LowPass, AgreesWithTheLongDoubleReferee) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    Random random(seed, "design");
    const int order = 1 + static_cast<int>(random.below(10));
    const double cutoff = std::pow(10, random.uniform(-3, -0.4));
    const LowPass filter = design_low_pass(order, cutoff, 1);
    const Signal x = random_walk(seed, 1 + static_cast<Index>(random.below(6000)));
    const Signal y = filtered(filter, x);
    const auto expected = referee(filter, x);
    // Rounding grows with rate over cut-off (at most 1e3 here) and the number of sections.
    const double tolerance = 1e-15 * order / cutoff * largest(x) + 1e-15;
    for (std::size_t i = 0; i < x.size(); ++i) {
      ASSERT_NEAR(y[i], static_cast<double>(expected[i]), tolerance)
          << fmt::format("seed {} order {} cutoff {} sample {}", seed, order, cutoff, i);
    }
  }
}

TEST(LowPass, ColumnsAloneAndTogetherGiveTheSameBytes) {
  const LowPass filter = design_low_pass(3, 30, 1000);
  const Index samples = 1234, stride = 1300;
  for (const Index columns : {1, 2, 15, 16, 17, 40}) {
    Signal together(static_cast<std::size_t>(columns * stride), 0.5);
    for (Index c = 0; c < columns; ++c) {
      const Signal x = random_walk(static_cast<std::uint64_t>(c), samples);
      std::copy(x.begin(), x.end(), together.begin() + c * stride);
    }
    filter_zero_phase(filter, together.data(), samples, columns, stride);
    for (Index c = 0; c < columns; ++c) {
      const Signal alone = filtered(filter, random_walk(static_cast<std::uint64_t>(c), samples));
      ASSERT_EQ(0, std::memcmp(alone.data(), together.data() + c * stride, samples * sizeof(double)));
      for (Index i = samples; i < stride; ++i)
        ASSERT_EQ(together[c * stride + i], 0.5) << "padding was touched";
    }
  }
}

TEST(LowPass, AllInstructionSetsGiveTheSameBytes) {
  const LowPass filter = design_low_pass(5, 12, 1000);
  for (const int lanes : {1, 3, 8, 13, 16}) {
    for (const Index rows : {1, 7, 64, 101, 128}) {
      for (const auto direction : {kernels::Direction::forward, kernels::Direction::backward}) {
        const Index stride = rows + 3;
        Signal start;
        Random random(1, "block");
        for (Index i = 0; i < lanes * stride; ++i) start.push_back(random.normal());
        std::vector<Signal> results;
        for (const kernels::BlockFilter run : kernels::available_block_filters()) {
          alignas(64) double state[10 * kernels::kLanes] = {};
          Signal data = start;
          run(filter.sections.data(), static_cast<int>(filter.sections.size()), state,
              {data.data(), stride, lanes, rows, direction});
          data.insert(data.end(), std::begin(state), std::end(state));
          results.push_back(data);
        }
        for (const Signal& result : results)
          EXPECT_EQ(result, results[0]) << lanes << " lanes, " << rows << " rows";
        EXPECT_NE(results[0][0], start[0]);
      }
    }
  }
}

TEST(LowPass, ShortArraysWork) {
  const LowPass filter = design_low_pass(4, 5, 1000);
  EXPECT_EQ(filtered(filter, {}), Signal{});
  EXPECT_EQ(filtered(filter, {2.5}), Signal{2.5});
  const Signal two = filtered(filter, {1, 2});
  EXPECT_TRUE(two[0] >= 0 && two[1] <= 3);
}

TEST(LowPass, HaloIsWhatTheDesignSays) {
  // 5 Hz at 1 kHz: about 3100 samples.
  const LowPass filter = design_low_pass(4, 5, 1000);
  EXPECT_NEAR(static_cast<double>(filter.halo), 3100, 100);
  EXPECT_EQ(filter.halo, std::ceil(std::log(1e-16) / std::log(filter.slowest_pole)));
  EXPECT_LT(std::pow(filter.slowest_pole, filter.memory), 1e-2);
}

TEST(LowPass, RefusesDesignsThatMakeNoSense) {
  EXPECT_THROW(design_low_pass(0, 5, 1000), InputError);
  EXPECT_THROW(design_low_pass(11, 5, 1000), InputError);
  EXPECT_THROW(design_low_pass(4, 500, 1000), InputError);
  EXPECT_THROW(design_low_pass(4, 0, 1000), InputError);
  EXPECT_THROW(design_low_pass(4, -1, 1000), InputError);
  EXPECT_THROW(design_low_pass(4, std::nan(""), 1000), InputError);
  EXPECT_THROW(design_low_pass(4, 5, -1), InputError);
  EXPECT_THROW(design_low_pass(4, 1e-3, 1000), InputError);
}

}  // namespace
}  // namespace steelyard
