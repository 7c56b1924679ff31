// A uniformly sampled signal at other times, a fraction of a sample away from its own.
//
//   x(t + δ) = Σ_k x_k w(t/h + δ/h − k),   w(u) = sin(πu)/(πu) · Kaiser window of ±12 samples, β = 8
//
// Up to 0.8 of the Nyquist frequency the gain is 1 within 2e-3; constants stay to 1e-15. Whole samples are copied. Before the
// first and behind the last sample the signal stands still.
#pragma once

#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/log/options.hpp"
#include "steelyard/log/run.hpp"

namespace steelyard::inline STEELYARD_ABI {

// Samples on each side that a value is made of.
inline constexpr Index kShiftTaps = 12;

// out[s] = x at s + shift [samples]; out must not overlap x.
void shift_samples(const double* x, Index samples, double shift, double* out);

// Samples of a run that a shift of so many samples needs on each side.
Index shift_reach(double shift);
// Of the longest shift [s] at a step [s] between samples; 0: nothing is shifted.
Index longest_reach(const std::vector<ChannelShift>& shifts, double step);

// Those that do anything. Throws InputError for channels that the run `name` does not have, and other numbers than its joints.
std::vector<ChannelShift> shifts_of_run(const std::vector<ChannelShift>& shifts, const SampleBlock& channels,
                                        const std::string& name);

}  // namespace steelyard
