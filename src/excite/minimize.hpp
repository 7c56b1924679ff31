// Smallest value of a smooth function inside a region: limited-memory BFGS with a bisecting line search.
//
// The function returns +∞ outside its region, where barriers are; the line search then steps back. A step is
// accepted by the weak Wolfe conditions (decrease 1e-4, slope 0.9).
#pragma once

#include <functional>

#include "steelyard/core/abi.hpp"

namespace steelyard::inline STEELYARD_ABI {

using SmoothFunction = std::function<double(const VectorXd& x, VectorXd& gradient)>;

struct MinimizeOptions {
  int iterations = 200;
  double tolerance = 1e-4;     // of the decrease over ten iterations
  std::function<bool()> stop;  // may be empty; called once per iteration
};

struct Minimum {
  VectorXd x;
  double value = 0;
  int iterations = 0;
  int evaluations = 0;
  bool stopped = false;
};

// `start` is inside the region.
Minimum minimize(const SmoothFunction& f, const VectorXd& start, const MinimizeOptions& options);

}  // namespace steelyard
