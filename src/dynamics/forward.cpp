// q̈ from M q̈ = τ − (S q̇ + g − Jᵀ w). M is factored from the leaves to the root: the pivot of joint i is
// the inertia at it when all joints after it are free, so that a non-positive pivot identifies the joint that
// carries an impossible body.
#include <limits>
#include <string>

#include "dynamics/spatial.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/dynamics/dynamics.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

// Overwrites the lower triangle of M with L and D of M = Lᵀ D L, L unit lower triangular.
void factor_from_leaves(MatrixXd& M, const VectorXd& magnitude) {
  const Index n = M.rows();
  for (Index k = n - 1; k >= 0; --k) {
    // A pivot this small against the sum it is left of is rounding, not inertia.
    const double smallest =
        4 * static_cast<double>(n) * std::numeric_limits<double>::epsilon() * magnitude[k];
    if (!(M(k, k) > smallest)) {
      throw InputError(
          {"the mass matrix is not positive definite: joint " + std::to_string(k + 1) + " has the inertia " +
               std::to_string(M(k, k)),
           {},
           "positive inertia about or along every joint axis",
           "give the links after this joint physically possible parameters (Inertia::violated_law)"});
    }
    for (Index i = k - 1; i >= 0; --i) {
      if (M(k, i) == 0) continue;
      const double a = M(k, i) / M(k, k);
      M.row(i).head(i + 1) -= a * M.row(k).head(i + 1);
      M(k, i) = a;
    }
  }
}

}  // namespace

VectorXd forward_dynamics(const Tree& tree, const VectorXd& parameters, const VectorXd& q, const VectorXd& qd,
                          const VectorXd& tau, const Vector6& tool_wrench) {
  dynamics::require_per_joint(tree, tau, "tau");
  const VectorXd rest = VectorXd::Zero(tree.size());
  VectorXd x = tau - newton_euler(tree, parameters, q, qd, rest, tool_wrench).tau;
  auto [factor, magnitude] = dynamics::compute_mass_matrix(tree, parameters, q);
  factor_from_leaves(factor, magnitude);
  factor.triangularView<Eigen::UnitLower>().transpose().solveInPlace(x);
  x.array() /= factor.diagonal().array();
  factor.triangularView<Eigen::UnitLower>().solveInPlace(x);
  return x;
}

}  // namespace steelyard
