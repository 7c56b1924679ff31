#include "steelyard/validate/spectrum.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <unsupported/Eigen/FFT>

#include "steelyard/core/error.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr Index kShortest = 16;  // a segment's samples
constexpr Index kLongest = 1 << 14;

Index segment_length(Index samples, Index apart) {
  Index length = kShortest;
  while (length < kLongest && 2 * length * apart <= samples) length *= 2;
  return length * apart <= samples ? length : 0;
}

double hann(Index t, Index length) {
  return 0.5 - 0.5 * std::cos(2 * std::numbers::pi * static_cast<double>(t) / static_cast<double>(length));
}

// Density of the noise: flat, and alone at the upper half of the frequencies.
double noise_floor(const std::vector<double>& density) {
  constexpr std::size_t kParts = 16;
  const std::size_t first = density.size() / 2, count = density.size() - first;
  std::vector<double> means;
  for (std::size_t p = 0; p < kParts; ++p) {
    const std::size_t begin = first + p * count / kParts, end = first + (p + 1) * count / kParts;
    double sum = 0;
    for (std::size_t k = begin; k < end; ++k) sum += density[k];
    if (end > begin) means.push_back(sum / static_cast<double>(end - begin));
  }
  const auto middle = means.begin() + static_cast<std::ptrdiff_t>(means.size() / 2);
  std::nth_element(means.begin(), middle, means.end());
  return *middle;
}

}  // namespace

Welch::Welch(double rate, Index samples, Index apart)
    : rate_(rate),
      length_(segment_length(samples, apart)),
      power_(static_cast<std::size_t>(length_ / 2 + 1), 0.0) {
  require(rate > 0, "a spectrum needs a rate");
  for (Index t = 0; t < length_; ++t) window_.push_back(hann(t, length_));
}

void Welch::add(double value) {
  if (length_ == 0) return;
  pending_.push_back(value);
  if (static_cast<Index>(pending_.size()) == length_) end_segment();
}

void Welch::end_segment() {
  std::vector<double> windowed(pending_);
  for (std::size_t t = 0; t < windowed.size(); ++t) windowed[t] *= window_[t];
  thread_local Eigen::FFT<double> transform;  // keeps the roots of one of each length
  transform.SetFlag(Eigen::FFT<double>::HalfSpectrum);
  std::vector<std::complex<double>> bins;
  transform.fwd(bins, windowed);
  for (std::size_t k = 0; k < power_.size(); ++k) power_[k] += std::norm(bins[k]);
  ++segments_;
  pending_.erase(pending_.begin(), pending_.begin() + length_ / 2);
}

Spectrum Welch::spectrum() const {
  Spectrum result;
  if (segments_ == 0) return result;
  double squares = 0;
  for (const double weight : window_) squares += weight * weight;
  const double scale = 1 / (rate_ * squares * static_cast<double>(segments_));
  for (std::size_t k = 0; k < power_.size(); ++k) {
    // Both ends stand for themselves alone, all others for their negative frequency, too.
    const double sides = k == 0 || k + 1 == power_.size() ? 1 : 2;
    result.frequency.push_back(static_cast<double>(k) * rate_ / static_cast<double>(length_));
    result.density.push_back(sides * scale * power_[k]);
  }
  return result;
}

Spectrum in_bands(const Spectrum& spectrum, int bands_per_decade) {
  require(bands_per_decade > 0, "a decade has at least one band");
  const double ratio = std::pow(10.0, 1.0 / bands_per_decade);
  Spectrum result;
  for (std::size_t k = 1; k < spectrum.frequency.size();) {
    const double end = spectrum.frequency[k] * ratio;
    double frequency = 0, density = 0, bins = 0;
    for (; k < spectrum.frequency.size() && (bins == 0 || spectrum.frequency[k] < end); ++k, ++bins) {
      frequency += spectrum.frequency[k];
      density += spectrum.density[k];
    }
    result.frequency.push_back(frequency / bins);
    result.density.push_back(density / bins);
  }
  return result;
}

std::optional<double> occupied_band(std::span<const Spectrum> spectra) {
  constexpr std::size_t kMean = 2;    // bins that hold the mean
  constexpr double kSignificant = 3;  // standard deviations of a sum of noise
  std::vector<double> power;          // above the noise; a bin may be negative
  double noise2 = 0;                  // Σ noise², of a bin
  for (const Spectrum& spectrum : spectra) {
    if (spectrum.density.size() <= 2 * kMean) return std::nullopt;
    require(power.empty() || power.size() == spectrum.density.size(), "spectra of other frequencies");
    power.resize(spectrum.density.size(), 0.0);
    const double noise = noise_floor(spectrum.density);
    noise2 += noise * noise;
    for (std::size_t k = kMean; k < power.size(); ++k) power[k] += spectrum.density[k] - noise;
  }
  double total = 0;
  for (const double bin : power) total += bin;
  double above = 0;
  for (std::size_t k = power.size(); k-- > kMean;) {
    above += power[k];
    const double chance = kSignificant * std::sqrt(noise2 * static_cast<double>(power.size() - k));
    if (above > (1 - kOccupied) * total && above > chance) return spectra.front().frequency[k];
  }
  return std::nullopt;
}

}  // namespace steelyard
