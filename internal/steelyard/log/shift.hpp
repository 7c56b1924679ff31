// A uniformly sampled signal at other times, a fraction of a sample away from its own.
//
//   x(t + δ) = Σ_k x_k w(t/h + δ/h − k),   w(u) = sin(πu)/(πu) · Kaiser window of ±12 samples, β = 8
//
// Up to 0.8 of the Nyquist frequency the gain is 1 within 1e-3; constants stay to 1e-15. Whole samples are copied. Before the
// first and behind the last sample the signal stands still.
#pragma once

#include "steelyard/core/abi.hpp"

namespace steelyard::inline STEELYARD_ABI {

// Samples on each side that a value is made of.
inline constexpr Index kShiftTaps = 12;

// out[s] = x at s + shift [samples]; out must not overlap x.
void shift_samples(const double* x, Index samples, double shift, double* out);

// Samples of a run that a shift of so many samples needs on each side.
Index shift_reach(double shift);

}  // namespace steelyard
