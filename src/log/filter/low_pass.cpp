#include "steelyard/log/low_pass.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "steelyard/core/error.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

using std::numbers::pi;

void check(int order, double cutoff, double rate) {
  if (!(rate > 0) || !std::isfinite(rate)) {
    throw InputError(
        {fmt::format("the sampling rate of a filter is {} Hz", rate), {}, "a positive number", {}});
  }
  if (order < 1 || order > 10) {
    throw InputError({fmt::format("the filter order is {}", order), {}, "1 to 10", "4 is a good choice"});
  }
  if (!(cutoff > 0) || cutoff >= rate / 2) {
    throw InputError(
        {fmt::format("the cut-off of the filter is {} Hz at a sampling rate of {} Hz", cutoff, rate),
         {},
         fmt::format("above 0 and below half the rate, {} Hz", rate / 2),
         "choose a lower cut-off, or no filter"});
  }
  if (cutoff < 1e-5 * rate) {
    throw InputError({fmt::format("the cut-off of the filter, {} Hz, is too low for a sampling rate of {} Hz",
                                  cutoff, rate),
                      {},
                      fmt::format("at least {} Hz", 1e-5 * rate),
                      "resample to a lower rate first, or raise the cut-off"});
  }
}

// Samples until pole^k has fallen below `level`.
Index decay(double pole, double level) {
  if (pole <= level) return 1;
  return static_cast<Index>(std::ceil(std::log(level) / std::log(pole)));
}

}  // namespace

LowPass design_low_pass(int order, double cutoff, double rate) {
  check(order, cutoff, rate);
  LowPass filter;
  filter.order = order;
  filter.cutoff = cutoff;
  filter.rate = rate;
  const double g = std::tan(pi * cutoff / rate);
  if (order % 2 == 1) filter.sections.push_back({g / (1 + g), 0, 0});
  for (int i = 0; i < order / 2; ++i) {
    const double damping = 2 * std::sin((2 * i + 1) * pi / (2 * order));
    const double a1 = 1 / (1 + g * (g + damping));
    filter.sections.push_back({a1, g * a1, g * g * a1});
  }
  for (int i = 0; i < (order + 1) / 2; ++i) {
    const double theta = (2 * i + 1) * pi / (2 * order);
    const std::complex<double> s(-std::sin(theta), std::cos(theta));
    filter.slowest_pole = std::max(filter.slowest_pole, std::abs((1.0 + g * s) / (1.0 - g * s)));
  }
  filter.halo = decay(filter.slowest_pole, 1e-16);
  filter.memory = decay(filter.slowest_pole, 1e-2);
  return filter;
}

double magnitude(const LowPass& filter, double frequency) {
  const double ratio = std::tan(pi * frequency / filter.rate) / std::tan(pi * filter.cutoff / filter.rate);
  return 1 / std::sqrt(1 + std::pow(ratio, 2 * filter.order));
}

}  // namespace steelyard
