// Where a filtered |effort| may have passed through zero.
//
// Near a change of sign |τ| = |a t|. The zero-phase filter h lifts its minimum to a ∫|t| h dt and rounds it to the curvature
// 2 a h(0): value over curvature is the square of a length, which the filter alone determines. A minimum that lies higher over
// its curvature comes from efforts that turned before zero.
#pragma once

#include <vector>

#include "steelyard/signs/rows.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct CrossingShape {
  double square = 0;      // value over curvature of a change of sign, in samples²
  double noise_gain = 0;  // white noise behind the filter over that before it, in standard deviations
  double left_gain = 1;   // the same for what the filter takes away
};
CrossingShape crossing_shape(const RowBand& band);

// Of one joint: the filtered effort below which noise hides the sign, at every sample, since noise often depends on the motion;
// and by how much noise makes minima.
struct EffortFloor {
  VectorXd sign;
  double ripple = 0;
};
EffortFloor effort_floor(const RowBand& band, const CrossingShape& shape, const double* effort,
                         const double* filtered, Index count);

// Samples of minima where the sign may have changed.
std::vector<Index> crossings(const CrossingShape& shape, const EffortFloor& floor, const double* filtered,
                             Index count);

// Low local minima: lower than everything up to where both sides have risen by `rise`.
std::vector<Index> local_minima(const double* x, Index count, double rise);

}  // namespace steelyard
