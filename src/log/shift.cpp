#include "steelyard/log/shift.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr double kKaiser = 8;
constexpr double kWholeSample = 1e-9;  // fraction of a sample that is none

// I₀ by its series: 30 terms are enough for arguments up to 8.
double bessel(double x) {
  double term = 1, sum = 1;
  for (int k = 1; k <= 30; ++k) {
    term *= (x / (2 * k)) * (x / (2 * k));
    sum += term;
  }
  return sum;
}

using Weights = std::array<double, static_cast<std::size_t>(2 * kShiftTaps)>;

// Of the samples 1 − taps … taps around a time `fraction` behind sample 0.
Weights shift_weights(double fraction) {
  Weights weights{};
  double sum = 0;
  for (Index k = 0; k < 2 * kShiftTaps; ++k) {
    const double u = fraction - static_cast<double>(k + 1 - kShiftTaps);
    const double edge = u / static_cast<double>(kShiftTaps);
    const double window = bessel(kKaiser * std::sqrt(std::max(0.0, 1 - edge * edge)));
    const double w = window * (u == 0 ? 1 : std::sin(std::numbers::pi * u) / (std::numbers::pi * u));
    weights[static_cast<std::size_t>(k)] = w;
    sum += w;
  }
  for (double& w : weights) w /= sum;
  return weights;
}

}  // namespace

Index shift_reach(double shift) {
  return static_cast<Index>(std::ceil(std::abs(shift))) + kShiftTaps;
}

void shift_samples(const double* x, Index samples, double shift, double* out) {
  const double below = std::floor(shift + kWholeSample);
  const double fraction = shift - below;
  const auto whole = static_cast<Index>(below);
  const auto at = [&](Index s) { return x[std::clamp<Index>(s, 0, samples - 1)]; };
  if (std::abs(fraction) < kWholeSample) {
    for (Index s = 0; s < samples; ++s) out[s] = at(s + whole);
    return;
  }
  const Weights weights = shift_weights(fraction);
  for (Index s = 0; s < samples; ++s) {
    const Index first = s + whole + 1 - kShiftTaps;
    double sum = 0;
    if (first >= 0 && first + 2 * kShiftTaps <= samples)
      for (Index k = 0; k < 2 * kShiftTaps; ++k) sum += weights[static_cast<std::size_t>(k)] * x[first + k];
    else
      for (Index k = 0; k < 2 * kShiftTaps; ++k) sum += weights[static_cast<std::size_t>(k)] * at(first + k);
    out[s] = sum;
  }
}

}  // namespace steelyard
