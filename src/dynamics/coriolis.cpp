// S(q, q̇) by composite Coriolis operators: the bodies a joint carries summed into 6×6 maps, which are projected
// on the twists of the joint and of its ancestors. Source of the factorisation: Echeandia, Wensing, "Numerical
// methods to compute the Coriolis matrix and Christoffel symbols for rigid-body systems", J. Comput. Nonlinear
// Dynam. 2021.
#include "dynamics/spatial.hpp"
#include "steelyard/dynamics/dynamics.hpp"

namespace steelyard::inline STEELYARD_ABI {

using dynamics::joint_of;
using dynamics::joint_twist;
using dynamics::Matrix6;

MatrixXd coriolis_factor(const Tree& tree, const VectorXd& parameters, const VectorXd& q,
                         const VectorXd& qd) {
  dynamics::require_parameters(tree, parameters);
  dynamics::require_per_joint(tree, q, "q");
  dynamics::require_per_joint(tree, qd, "qd");
  const int n = tree.size();
  std::vector<Matrix6> X, inertia, coriolis;
  std::vector<Vector6> velocity, twist, twist_rate;
  for (int i = 0; i < n; ++i) {
    const TreeJoint& joint = joint_of(tree, i);
    X.push_back(dynamics::motion_transform(joint.pose(q[i])));
    twist.push_back(joint_twist(joint));
    Vector6 V = twist.back() * qd[i];
    if (joint.parent >= 0) V += X.back() * velocity[static_cast<std::size_t>(joint.parent)];
    velocity.push_back(V);
    twist_rate.push_back(dynamics::cross_motion(V, twist.back()));
    inertia.push_back(dynamics::spatial_inertia(dynamics::body_of(parameters, i)));
    coriolis.push_back(dynamics::coriolis_operator(inertia.back(), V));
  }
  MatrixXd S = MatrixXd::Zero(n, n);
  for (int j = n - 1; j >= 0; --j) {
    const auto k = static_cast<std::size_t>(j);
    // S_ij = s_iᵀ (I ṡ_j + B s_j) with the composites of the outer joint, and the same with i and j
    // exchanged.
    Vector6 column = inertia[k] * twist_rate[k] + coriolis[k] * twist[k];
    Vector6 row = inertia[k] * twist[k];
    Vector6 row_coriolis = coriolis[k].transpose() * twist[k];
    S(j, j) = twist[k].dot(column);
    std::size_t at = k;
    for (int i = joint_of(tree, j).parent; i >= 0; i = joint_of(tree, i).parent) {
      const auto Xt = X[at].transpose();
      column = Xt * column;
      row = Xt * row;
      row_coriolis = Xt * row_coriolis;
      at = static_cast<std::size_t>(i);
      S(i, j) = twist[at].dot(column);
      S(j, i) = twist_rate[at].dot(row) + twist[at].dot(row_coriolis);
    }
    const int parent = joint_of(tree, j).parent;
    if (parent < 0) continue;
    inertia[static_cast<std::size_t>(parent)] += X[k].transpose() * inertia[k] * X[k];
    coriolis[static_cast<std::size_t>(parent)] += X[k].transpose() * coriolis[k] * X[k];
  }
  return S;
}

}  // namespace steelyard
