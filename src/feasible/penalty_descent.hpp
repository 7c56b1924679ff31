// Levenberg-Marquardt on quadratic models: a small f(ξ) from a start.
//
//   (H + λ D) s = −g,   ξ ← ξ + s when f falls
//
// D holds the largest diagonals of H seen so far, so that units do not matter; λ follows the ratio of actual
// to predicted decrease. Directions that f does not depend on keep their start values. H is positive
// semidefinite, f may be +∞ outside its domain but not at the start.
#pragma once

#include <functional>

#include "steelyard/core/abi.hpp"

namespace steelyard::inline STEELYARD_ABI {

// f(ξ + s) ≈ f(ξ) + gᵀs + ½ sᵀHs; the lower triangle of H.
struct LocalModel {
  VectorXd gradient;
  MatrixXd hessian;
};

// f(ξ), and its model when `model` is not null.
using ModelFunction = std::function<double(const VectorXd& xi, LocalModel* model)>;

struct DescentOptions {
  int max_iterations = 200;
  double relative_decrease = 1e-9;  // of f, in each of five steps: then the search ends
  double absolute = 0;              // f at which the search may stop
};

struct Descent {
  VectorXd xi;
  double value = 0;
  int iterations = 0;
};

Descent descend(const ModelFunction& function, const VectorXd& start, const DescentOptions& options = {});

}  // namespace steelyard
