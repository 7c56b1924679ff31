// sign(0) = 0, as in the regressor's Coulomb columns.
#pragma once

#include "steelyard/core/abi.hpp"

namespace steelyard::inline STEELYARD_ABI {

inline double sign(double x) {
  return static_cast<double>((x > 0) - (x < 0));
}

}  // namespace steelyard
