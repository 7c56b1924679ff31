// At which frequencies is a signal? The power density by Welch's method.
//
//   S(f_k) = 2 / (f_s Σ w²) · mean over segments of |Σ_t w_t e_t exp(−2πi k t / n)|²        Σ S Δf ≈ mean e²
//
// Segments of n samples, a power of two, overlap by half; w is the window of von Hann. The mean is not
// removed: it stands at frequency 0 and in the bin beside it. Lines closer than two bins are seen as one, and
// a run of fewer than 128 samples has no spectrum.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/validate/residuals.hpp"

namespace steelyard::inline STEELYARD_ABI {

// Sums over a run, sample by sample; memory: two segments.
class Welch {
 public:
  // A run of about `samples` samples at `rate` [Hz] has at least 2 · `apart` − 1 segments, `apart` of them without
  // overlap.
  Welch(double rate, Index samples, Index apart = 8);
  void add(double value);
  // Samples are missing: no segment goes across.
  void interrupt() { pending_.clear(); }
  Spectrum spectrum() const;

 private:
  void end_segment();
  double rate_ = 1;
  Index segments_ = 0;
  Index length_ = 0;  // of a segment; 0: the run is too short
  std::vector<double> window_;
  std::vector<double> pending_;  // samples of the segment so far
  std::vector<double> power_;    // Σ |FFT|²
};

// Means over bands of equal width on a logarithmic scale, where bins are closer than that; without frequency
// 0.
Spectrum in_bands(const Spectrum& spectrum, int bands_per_decade = 24);

// The band of several signals of one unit, whose spectra have the same frequencies: where 99 % of their power
// ends (the occupied bandwidth of ITU-R SM.328). Counted is the power about the mean, and above the noise, which is
// taken as flat: of each signal the median of sixteen means over the upper half of the frequencies. None: there is
// nothing but noise, or no spectrum.
inline constexpr double kOccupied = 0.99;
std::optional<double> occupied_band(std::span<const Spectrum> spectra);

}  // namespace steelyard
