#include "steelyard/validate/spectrum.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "steelyard/core/random.hpp"

namespace steelyard {
namespace {

double total(const Spectrum& spectrum) {
  double sum = 0;
  for (const double density : spectrum.density) sum += density;
  return sum * (spectrum.frequency[1] - spectrum.frequency[0]);
}

TEST(Spectrum, OfASineStandsAtItsFrequencyWithItsPower) {
  const double amplitude = 3, frequency = 12.3, rate = 500;
  Welch welch(rate, 20000);
  for (int t = 0; t < 20000; ++t)
    welch.add(amplitude * std::sin(2 * std::numbers::pi * frequency * t / rate));
  const Spectrum spectrum = welch.spectrum();
  const auto top = std::max_element(spectrum.density.begin(), spectrum.density.end());
  const double step = spectrum.frequency[1];
  EXPECT_NEAR(spectrum.frequency[static_cast<std::size_t>(top - spectrum.density.begin())], frequency, step);
  // A²/2; segments do not hold whole periods: 1e-4 of it was measured, ten times that is allowed.
  EXPECT_NEAR(total(spectrum), amplitude * amplitude / 2, 1e-3 * amplitude * amplitude / 2);
  // Von Hann's window keeps a line within four bins.
  for (std::size_t k = 0; k < spectrum.density.size(); ++k)
    if (std::abs(spectrum.frequency[k] - frequency) > 8 * step) {
      EXPECT_LT(spectrum.density[k], 1e-4 * *top);
    }
}

TEST(Spectrum, OfWhiteNoiseIsFlatAtItsVarianceOverHalfTheRate) {
  const double deviation = 0.7, rate = 1000;
  Random random(5, "spectrum");
  Welch welch(rate, 400000);
  for (int t = 0; t < 400000; ++t) welch.add(random.normal(0, deviation));
  const double level = deviation * deviation / (rate / 2);
  const Spectrum bands = in_bands(welch.spectrum(), 6);
  ASSERT_GT(bands.frequency.size(), 12u);
  // Every bin is a mean over 47 overlapping segments, standard deviation about 0.16; bands of the upper two
  // decades hold fifty bins and more.
  for (std::size_t k = 0; k < bands.frequency.size(); ++k)
    if (bands.frequency[k] > 5) {
      EXPECT_NEAR(bands.density[k], level, 0.1 * level) << bands.frequency[k];
    }
}

TEST(Spectrum, BandsKeepTheFrequenciesInOrderAndStayBetweenTheBins) {
  Random random(6, "spectrum");
  Welch welch(200, 30000);
  for (int t = 0; t < 30000; ++t) welch.add(random.normal() + (t % 7 == 0 ? 2.0 : 0.0));
  const Spectrum spectrum = welch.spectrum();
  const Spectrum bands = in_bands(spectrum);
  EXPECT_TRUE(std::is_sorted(bands.frequency.begin(), bands.frequency.end()));
  EXPECT_EQ(bands.frequency.front(), spectrum.frequency[1]);
  EXPECT_LE(bands.frequency.back(), 100);
  EXPECT_LT(bands.frequency.size(), 100u);
  const auto [low, high] = std::minmax_element(spectrum.density.begin() + 1, spectrum.density.end());
  for (const double density : bands.density) {
    EXPECT_GE(density, *low);
    EXPECT_LE(density, *high);
  }
}

TEST(Spectrum, OfAShortRunIsEmpty) {
  Welch welch(100, 127);
  for (int t = 0; t < 127; ++t) welch.add(t);
  EXPECT_TRUE(welch.spectrum().density.empty());
  EXPECT_TRUE(in_bands(welch.spectrum()).density.empty());
}

// A line whose phase changes at every gap: segments across gaps would smear it.
TEST(Spectrum, HasNoSegmentAcrossMissingSamples) {
  const auto measured = [](bool interrupts) {
    Welch welch(100, 8000);
    for (int stretch = 0; stretch < 8; ++stretch) {
      if (interrupts) welch.interrupt();
      for (int t = 0; t < 1000; ++t) welch.add(std::sin(2 * std::numbers::pi * 0.125 * t + 2.0 * stretch));
    }
    const Spectrum spectrum = welch.spectrum();
    double all = 0, line = 0;
    for (std::size_t k = 0; k < spectrum.density.size(); ++k) {
      all += spectrum.density[k];
      if (std::abs(spectrum.frequency[k] - 12.5) < 0.5) line += spectrum.density[k];
    }
    return 1 - line / all;
  };
  EXPECT_LT(measured(true), 1e-4);
  EXPECT_GT(measured(false), 1e-2);
}

// Two lines: 1 Hz has 4/2, 6 Hz 0.25/2 of the power, 5.9 %; the mean of 30 counts for nothing.
Spectrum two_lines(double noise, double slow = 2, double fast = 0.5) {
  constexpr Index kSamples = 40000;
  Random random(7, "spectrum");
  Welch welch(1000, kSamples, 2);
  for (Index t = 0; t < kSamples; ++t) {
    const double phase = 2 * std::numbers::pi * static_cast<double>(t) / 1000;
    welch.add(30 + slow * std::sin(phase) + fast * std::sin(6 * phase) + random.normal(0, noise));
  }
  return welch.spectrum();
}

TEST(OccupiedBand, EndsWhereAHundredthOfThePowerIsLeft) {
  const Spectrum both[] = {two_lines(0)};
  EXPECT_NEAR(occupied_band(both).value(), 6, 0.3);
  const Spectrum slow[] = {two_lines(0, 2, 0.1)};  // 0.25 % at 6 Hz
  EXPECT_NEAR(occupied_band(slow).value(), 1, 0.3);
  // A signal of its own that is fast counts by its power.
  const Spectrum several[] = {two_lines(0, 2, 0.1), two_lines(0, 0, 1)};
  EXPECT_NEAR(occupied_band(several).value(), 6, 0.3);
}

// White noise with as much power as the motion does not widen the band.
TEST(OccupiedBand, IsThatOfTheSignalAboveTheNoise) {
  const Spectrum noisy[] = {two_lines(1.5)};
  EXPECT_NEAR(occupied_band(noisy).value(), 6, 0.3);
  const Spectrum nothing[] = {two_lines(1, 0, 0)};
  EXPECT_FALSE(occupied_band(nothing));
  EXPECT_FALSE(occupied_band({}));
}

}  // namespace
}  // namespace steelyard
