// Zero-phase Butterworth low-pass, for whole runs and for chunks of runs.
//
// One pass of order n with cut-off fc at the sampling rate fs (bilinear transform, prewarped):
//   |H(f)|² = 1 / (1 + (tan(π f/fs) / tan(π fc/fs))^2n)
// Forward and backward passes together have the gain |H(f)|² and no phase; at fc that is 1/2 (−6 dB), as with
// the usual filtfilt. The gain at zero frequency is exactly one.
//
// The sections are state variable filters, s² + 2 sin θ_i s + 1 with θ_i = (2i+1) π/2n: at cut-offs far below
// the sampling rate their rounding errors grow with fs/fc only, those of the usual direct forms with
// (fs/fc)².
//
// Ends. Where the array begins or ends with the run, it is continued by odd reflection (2 x_0 − x_k) over
// `memory` samples, and the states start steady. Elsewhere the states start steady at the first sample, and
// the error of that has decayed to 1e-16 after `halo` samples: a chunk with `halo` further samples on each
// side gives, on its core, the result of the whole run. This does not hold for arrays cut inside a run with
// less halo than that.
#pragma once

#include <vector>

#include "steelyard/core/abi.hpp"

namespace steelyard::inline STEELYARD_ABI {

// One or two poles of the filter: y = lowpass(x), see src/log/low_pass_kernel.cpp for the recurrence.
struct LowPassSection {
  double a1 = 0;
  double a2 = 0;
  double a3 = 0;  // zero for a section with one pole
};

struct LowPass {
  int order = 0;
  double cutoff = 0;  // [Hz]
  double rate = 0;    // [Hz]
  std::vector<LowPassSection> sections;
  double slowest_pole = 0;  // largest |z|
  Index halo = 0;           // samples until a transient has decayed to 1e-16: ⌈ln 1e-16 / ln |z|⌉
  Index memory = 0;         // samples until it has decayed to 1e-2: length of paddings, trims and gaps
};

// Orders 1 to 10, 1e-5 rate ≤ cutoff < rate / 2; otherwise InputError.
LowPass design_low_pass(int order, double cutoff, double rate);

// |H(f)| of one pass, for 0 ≤ frequency < rate / 2; the zero-phase filter has its square.
double magnitude(const LowPass& filter, double frequency);

// Whether an array begins and ends where its run does.
struct RunEnds {
  bool begin = true;
  bool end = true;
};

// Filters each column in place. Column c is data[c * column_stride … + samples); columns do not influence
// each other and give the same bytes alone or together, on every processor.
void filter_zero_phase(const LowPass& filter, double* data, Index samples, Index columns, Index column_stride,
                       RunEnds ends = {});

}  // namespace steelyard
