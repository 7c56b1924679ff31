// Random multi-sines within a reach.
//
//   q_j = c_j + κ_j Σ_{l=1…L} n_lj/√l · sin(2πl t/period + φ_lj)
//
// with n standard normal, φ uniform. κ_j is the largest factor with |q_j − c_j| ≤ reach_j and, where limits
// are given, |q̇_j| and |q̈_j| within them. Extremes are taken on 256 L points a period: by Bernstein's
// inequality they are at most 7.6e-5 too small, and κ_j is smaller by that share, so that the bounds hold
// everywhere.
#pragma once

#include <cstdint>

#include "steelyard/core/abi.hpp"
#include "steelyard/simulate/trajectory.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

struct RandomMotion {
  int harmonics = 3;
  double period = 10;   // [s]
  double duration = 0;  // [s]; 0: one period
  VectorXd center;      // one per joint
  VectorXd reach;       // one for all joints, or one per joint; > 0
  VectorXd velocity;    // limits: none, one, or one per joint; may be infinite
  VectorXd acceleration;
};

// Joint j draws from its own stream: more joints do not change the first ones. Throws InputError.
MultiSine random_multi_sine(const RandomMotion& options, std::uint64_t seed);

}  // namespace STEELYARD_ABI
}  // namespace steelyard
