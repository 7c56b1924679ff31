#include "steelyard/log/shift.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "steelyard/core/error.hpp"

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

Index longest_reach(const std::vector<ChannelShift>& shifts, double step) {
  Index reach = 0;
  for (const ChannelShift& shift : shifts)
    reach = std::max(reach, shift_reach(shift.seconds.cwiseAbs().maxCoeff() / step));
  return reach;
}

std::vector<ChannelShift> shifts_of_run(const std::vector<ChannelShift>& shifts, const SampleBlock& channels,
                                        const std::string& name) {
  std::vector<ChannelShift> used;
  for (const ChannelShift& shift : shifts) {
    if (channels.find(shift.from) < 0)
      throw InputError(
          {fmt::format("the run has no channel '{}', which is to be shifted in time", shift.from),
           {name, 0, 0, {}},
           {},
           fmt::format("give its columns: `columns: {{{}: ...}}`", shift.from)});
    if (shift.seconds.size() != channels.joints() || !shift.seconds.allFinite())
      throw InputError({fmt::format("{} shifts in time are given, the run has {} joints",
                                    shift.seconds.size(), channels.joints()),
                        {name, 0, 0, {}},
                        "a finite number for each",
                        "give as many shifts as joints"});
    if (!shift.seconds.isZero(0) || shift.from != shift.to) used.push_back(shift);
  }
  return used;
}

}  // namespace steelyard
