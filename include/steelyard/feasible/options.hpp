// How feasible parameters are found, and which constraints physics gives (docs/feasible.md).
#pragma once

#include <optional>

#include "steelyard/core/abi.hpp"

namespace steelyard::inline STEELYARD_ABI {

enum class FeasibleMethod { automatic, convex, penalty, annealing };
const char* to_string(FeasibleMethod method);

struct CoefficientOptions {
  bool by_covariance = false;             // weight by the estimate's covariance; false: all equal
  double max_relative_sigma = kInfinity;  // coefficients above are left out
};

// By default: "link 3 is a body" = pseudo-inertia with the margin for every link; Ia, fv, fc ≥ 0
// for every such column; positive semidefinite inertia and viscous matrices of coupled pairs; the bounds
// that the robot's file declares, named as "bound m3".
struct PhysicalOptions {
  std::optional<double>
      margin;  // δ of bodies; none: 1e-6, or no denser than matter is where that costs nothing
  bool bodies = true;
  bool drives = true;
  bool robot_bounds = true;
};

}  // namespace steelyard
