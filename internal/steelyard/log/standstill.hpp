// Samples at which a joint stands still, from its positions alone.
//
//   still at s:  |mean of q over the w samples behind s − mean over the w samples before it| ≤ tolerance
//   tolerance  =  resolution + 4 σ √(2/w)         what noise alone does to the difference; at least kFinestEncoder, and
//                                                 the option's share of the largest such difference of the joint
//   at rest:      the samples around w or more in a row that are still, w on each side
//
// At a reversal the two means may agree by chance, but not for half a window: that needs a way below the tolerance.
// Half a window is 25 ms, at least two samples. σ: noise of the positions, from the median divided difference over seven
// samples; resolution: the smallest step between two samples. Both come from the beginning of the run.
#pragma once

#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/log/source.hpp"

namespace steelyard::inline STEELYARD_ABI {

// Way of a joint [rad, m] that no encoder shows: 24 bits a turn are 4e-7 rad.
inline constexpr double kFinestEncoder = 1e-7;

struct Standstill {
  Index half = 0;      // samples of half a window; 0: no joint is tested
  VectorXd share;      // of the options
  VectorXd tolerance;  // per joint [rad, m]; negative: not tested, always moving

  Index reach() const { return 3 * half; }  // samples on each side that decide about one
};

// `step` [s] between samples of the source, which is rewound before and afterwards. `share`: of the options.
Standstill standstill_of(SampleSource& source, double step, const VectorXd& share);

// Some joint is tested by such shares.
bool is_tested(const VectorXd& share);

// Samples of half a window.
Index half_standstill_window(double step);

// moving[j · stride + s] = 0 where joint j is at rest, otherwise 1. Position row j begins at position[j · stride].
void mark_moving(const Standstill& standstill, const double* position, Index samples, Index stride,
                 double* moving);

}  // namespace steelyard
