// How a run is cut into chunks, and which of its samples become rows.
//
// Chunk k has the core [k · size, (k + 1) · size), regardless of the number of threads; its window is the
// core with a halo on each side, cut at the run's ends. What is kept is decided by the sample's index in the
// run, so that it does not depend on the chunks either: samples trim + phase, trim + phase + decimation, …
// before `samples − trim`.
#pragma once

#include <cstdint>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/log/low_pass.hpp"
#include "steelyard/log/run.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct Chunk {
  Index index = 0;
  Range core;
  Range halo;    // the core and its halo
  RunEnds ends;  // whether the halo's range begins and ends with the run
};

struct ChunkPlan {
  Index samples = 0;
  Index size = 0;  // of a core; the last one may be smaller
  Index halo = 0;  // on each side

  Index count() const { return (samples + size - 1) / size; }
  Chunk chunk(Index k) const;
  // The chunk with a halo of other length.
  Chunk chunk(Index k, Index other_halo) const;
};

// Throws InputError unless all are positive (halo may be 0).
ChunkPlan plan_chunks(Index samples, Index size, Index halo);

struct Decimation {
  Index factor = 1;
  Index phase = 0;  // below factor
  Index trim = 0;   // samples left out at both ends
  Index samples = 0;

  // Indices of the run that are kept within a range, in order.
  std::vector<Index> kept(Range range) const;
  Index count() const;
};

// Cut-off over sampling rate behind which a signal is decimated: 0.8 of the Nyquist frequency.
inline constexpr double kCutoffOfDecimated = 0.4;

// Largest factor at which rows behind a filter with this cut-off are close to independent and not aliased:
// the cut-off at 0.8 of the new Nyquist frequency, ⌊0.4 rate / cutoff⌋, at least 1.
Index automatic_decimation(double cutoff, double rate);

// mask[j * mask_stride + s] = 1 where |velocity of joint j| ≥ limits(j), otherwise 0. Velocity row j begins
// at velocity[j * stride]. Returns the number of ones of each joint.
std::vector<Index> reject_slow(const double* velocity, Index samples, Index stride, const VectorXd& limits,
                               std::uint8_t* mask, Index mask_stride);

}  // namespace steelyard
