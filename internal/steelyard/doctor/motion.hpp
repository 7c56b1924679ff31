// Do two runs make the same motion? Their coarse positions are laid over each other at every shift in time,
//   mismatch = min over shifts of max over joints of rms(q_a − q_b) / σ(q_a)
// over the samples that both have, at least half of the shorter run. A validation run that repeats a fitted
// motion tests the noise, not the model.
//
// It does not detect a motion at another speed, or reversed.
#pragma once

#include "steelyard/core/abi.hpp"
#include "steelyard/core/finding.hpp"
#include "steelyard/doctor/coarse.hpp"
#include "steelyard/log/run.hpp"

namespace steelyard::inline STEELYARD_ABI {

inline constexpr double kSameMotion = 0.1;

struct MotionMatch {
  double mismatch = 0;  // infinite when nothing moves
  double shift = 0;     // [s] by which the second run is later
};

MotionMatch match_motions(const CoarseRun& a, const CoarseRun& b);

// Of two runs with the same motion the fresh one repeats the fitted one, regardless of their order; else the
// second.
bool first_repeats(const RunLabel& first, const RunLabel& second);
Finding repeated_motion(const RunLabel& repeat, const RunLabel& original, double mismatch);

}  // namespace steelyard
