// Self-checks: two ways to compute the same number, compared before a result is returned.
//
//   rows       ‖Y π − τ‖² and ‖τ‖² of every joint from its folds, and row by row in long double over the same
//              log; share of ‖τ‖². Not for logs that are too long for one more pass
//   model      efforts of the base parameters by the regressor, and by Newton and Euler; share of the largest
//   gradient   of the sum of squares at the estimate, columns scaled to norm one; share of ‖τ‖. Least squares
//              only
//   bodies     how far the links' margins δ (and friction and rotor inertia, over the largest of their kind)
//              fall short of what was claimed, in long double
//
// A difference above its limit is a bug: finding self-check-failed, verdict not trustworthy.
#pragma once

#include <string>

#include "steelyard/core/abi.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

struct SelfCheck {
  std::string what;  // rows, model, gradient, bodies
  double difference = 0;
  double limit = 0;

  bool passed() const { return difference <= limit; }
};

}  // namespace STEELYARD_ABI
}  // namespace steelyard
