// Positions of a run at even times, few enough to be kept beside its folds.
#pragma once

#include "steelyard/core/abi.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

// Positions of a run, evenly spread: enough to detect whether another run repeats its motion.
struct FoldedMotion {
  double step = 0;    // [s] between two
  MatrixXd position;  // some 400 × joints
};

}  // namespace STEELYARD_ABI
}  // namespace steelyard
