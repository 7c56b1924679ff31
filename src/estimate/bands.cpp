#include "steelyard/estimate/bands.hpp"

#include <fmt/format.h>

#include <cmath>

#include "steelyard/core/error.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr int kBinsPerOctave = 64;

// Octaves by exponent, equal steps inside: exact arithmetic, the same bin on every machine.
int bin_of(double size) {
  int exponent = 0;
  const double mantissa = std::frexp(size, &exponent);  // 0.5 … 1
  return exponent * kBinsPerOctave + static_cast<int>((mantissa - 0.5) * 2 * kBinsPerOctave);
}

double upper_edge(int bin) {
  const int exponent = static_cast<int>(std::floor(static_cast<double>(bin) / kBinsPerOctave));
  const int step = bin - exponent * kBinsPerOctave + 1;
  return std::ldexp(0.5 + 0.5 * step / kBinsPerOctave, exponent);
}

}  // namespace

void ErrorCounts::add(double error) {
  require(std::isfinite(error), "prediction errors are finite");
  ++total_;
  if (error == 0)
    ++zeros_;
  else
    ++bins_[bin_of(std::abs(error))];
}

void ErrorCounts::add(const ErrorCounts& other) {
  for (const auto& [bin, count] : other.bins_) bins_[bin] += count;
  zeros_ += other.zeros_;
  total_ += other.total_;
}

double ErrorCounts::quantile(double share) const {
  std::int64_t below = zeros_;
  const double wanted = share * static_cast<double>(total_);
  double edge = 0;
  for (const auto& [bin, count] : bins_) {
    if (static_cast<double>(below) >= wanted) return edge;
    below += count;
    edge = upper_edge(bin);
  }
  return edge;
}

double ErrorCounts::share_within(double size) const {
  if (total_ == 0) return 0;
  std::int64_t inside = zeros_;
  for (const auto& [bin, count] : bins_)
    if (upper_edge(bin) <= size) inside += count;
  return static_cast<double>(inside) / static_cast<double>(total_);
}

Band calibrate_band(const std::vector<ErrorCounts>& groups, double level) {
  if (!(level >= 0.5 && level <= 0.999))
    throw InputError({fmt::format("a band with level {}", level), {}, "0.5 to 0.999", "0.95 is typical"});
  ErrorCounts all;
  for (const ErrorCounts& group : groups) all.add(group);
  Band band;
  band.samples = all.total();
  band.half_width = all.quantile(level);
  double inside = 0;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (groups[g].total() == 0) continue;
    ErrorCounts others;
    for (std::size_t k = 0; k < groups.size(); ++k)
      if (k != g) others.add(groups[k]);
    const double width = others.total() > 0 ? others.quantile(level) : band.half_width;
    inside += groups[g].share_within(width) * static_cast<double>(groups[g].total());
  }
  if (band.samples > 0) band.coverage = inside / static_cast<double>(band.samples);
  return band;
}

}  // namespace steelyard
