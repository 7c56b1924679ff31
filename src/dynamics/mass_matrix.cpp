// M(q) by composite bodies, O(n²) for a chain (kernels/composite.inl).
#include "dynamics/mass_matrix.hpp"

#include "dynamics/arguments.hpp"
#include "dynamics/kernel_call.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace dynamics {

MassMatrix compute_mass_matrix(const Skeleton& skeleton, const articulated::Body* bodies, const double* q) {
  const articulated::View view = view_of(skeleton, bodies, Vector3::Zero());
  const Index n = view.count;
  MassMatrix result{MatrixXd::Zero(n, n), VectorXd(n)};
  articulated::Call call;
  call.q = q;
  call.stride = call.count = 1;
  call.out = result.matrix.data();
  call.out_stride = n;
  call.failed = result.magnitude.data();
  run_mass(view, call);
  result.matrix.triangularView<Eigen::StrictlyLower>() = result.matrix.transpose();
  return result;
}

}  // namespace dynamics

MatrixXd mass_matrix(const Tree& tree, const VectorXd& parameters, const VectorXd& q) {
  dynamics::require_parameters(tree, parameters);
  dynamics::require_per_joint(tree, q, "q");
  const auto skeleton = dynamics::skeleton_of(tree);
  const dynamics::Bodies bodies(*skeleton, parameters.data());
  return dynamics::compute_mass_matrix(*skeleton, bodies.data(), q.data()).matrix;
}

}  // namespace steelyard
