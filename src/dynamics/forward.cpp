// q̈ from M q̈ = τ − (S q̇ + g − Jᵀ w), by articulated bodies (kernels/articulated.inl) or by a factor of M. Both
// go from the leaves to the root: the pivot of joint i is the inertia at it when all joints after it are free, so
// that a non-positive pivot identifies the joint that carries an impossible body.
#include <fmt/format.h>

#include <limits>

#include "dynamics/arguments.hpp"
#include "dynamics/kernel_call.hpp"
#include "dynamics/mass_matrix.hpp"
#include "steelyard/core/error.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace dynamics {

int factor_from_leaves(MatrixXd& M, const VectorXd& magnitude) {
  const Index n = M.rows();
  for (Index k = n - 1; k >= 0; --k) {
    const double smallest =
        4 * static_cast<double>(n) * std::numeric_limits<double>::epsilon() * magnitude[k];
    if (!(M(k, k) > smallest)) return static_cast<int>(k);
    for (Index i = k - 1; i >= 0; --i) {
      if (M(k, i) == 0) continue;
      const double a = M(k, i) / M(k, k);
      M.row(i).head(i + 1) -= a * M.row(k).head(i + 1);
      M(k, i) = a;
    }
  }
  return -1;
}

void solve_from_leaves(const MatrixXd& factor, VectorXd& x) {
  factor.triangularView<Eigen::UnitLower>().transpose().solveInPlace(x);
  x.array() /= factor.diagonal().array();
  factor.triangularView<Eigen::UnitLower>().solveInPlace(x);
}

void refuse_mass_matrix(int joint) {
  throw InputError(
      {fmt::format("the mass matrix is not positive definite: joint {} carries no inertia", joint + 1),
       {},
       "positive inertia about or along every joint axis",
       "give the links after this joint physically possible parameters (Inertia::violated_law)"});
}

}  // namespace dynamics

VectorXd forward_dynamics(const Tree& tree, const VectorXd& parameters, const VectorXd& q, const VectorXd& qd,
                          const VectorXd& tau, const Vector6& tool_wrench) {
  dynamics::require_parameters(tree, parameters);
  dynamics::require_per_joint(tree, q, "q");
  dynamics::require_per_joint(tree, qd, "qd");
  dynamics::require_per_joint(tree, tau, "tau");
  const auto skeleton = dynamics::skeleton_of(tree);
  const dynamics::Bodies bodies(*skeleton, parameters.data());
  articulated::View view = dynamics::view_of(*skeleton, bodies.data(), tree.gravity);
  view.push = dynamics::push_of(tree, *skeleton, tool_wrench);
  VectorXd qdd(tree.size());
  double failed = -1;
  articulated::Call call{q.data(), qd.data(), tau.data(), 1, 1, qdd.data(), 1};
  call.failed = &failed;
  dynamics::run_forward(view, call);
  if (failed >= 0) dynamics::refuse_mass_matrix(static_cast<int>(failed));
  return qdd;
}

}  // namespace steelyard
