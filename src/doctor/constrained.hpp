// Least squares under a few linear inequalities, in normal equations:
//   min ½ xᵀH x − bᵀx   subject to   A x ≥ 0
// With H = L Lᵀ and the free solution x₀, the multipliers u ≥ 0 solve the complementarity problem
//   (A H⁻¹ Aᵀ) u + A x₀ ≥ 0 ⟂ u,   x = x₀ + H⁻¹ Aᵀ u
// by projected Gauss-Seidel over those violated on the way: slow when many bind, which does not matter for a score.
#pragma once

#include <Eigen/Core>

namespace steelyard::doctor {

// H is positive definite.
Eigen::VectorXd solve_constrained(const Eigen::MatrixXd& H, const Eigen::VectorXd& b,
                                  const Eigen::MatrixXd& A);

}  // namespace steelyard::doctor
