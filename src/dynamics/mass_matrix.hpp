#pragma once

#include "dynamics/skeleton.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace dynamics {

// M, and for each joint the sum of the magnitudes that its diagonal entry is a sum of: a pivot far below that
// is rounding.
struct MassMatrix {
  MatrixXd matrix;
  VectorXd magnitude;
};
MassMatrix compute_mass_matrix(const Skeleton& skeleton, const articulated::Body* bodies, const double* q);

// Overwrites the lower triangle of M with L and D of M = Lᵀ D L, L unit lower triangular, from the leaves to the
// root: pivot k is the inertia at k with all behind it free. Returns the first k whose pivot is no more than
// rounding against `magnitude`, −1: none.
int factor_from_leaves(MatrixXd& M, const VectorXd& magnitude);

// x ← M⁻¹ x with the factor above.
void solve_from_leaves(const MatrixXd& factor, VectorXd& x);

[[noreturn]] void refuse_mass_matrix(int joint);

}  // namespace dynamics
}  // namespace steelyard
