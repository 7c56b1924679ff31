// Newton-Euler in the kernels' frames (kernels/articulated.inl); wrenches back in link frames, about link origins.
#include <Eigen/Geometry>

#include "dynamics/arguments.hpp"
#include "dynamics/kernel_call.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

JointWrench in_link_frame(const dynamics::KernelFrame& frame, const double* wrench) {
  JointWrench out;
  out.force = frame.axes * Eigen::Map<const Eigen::Vector3d>(wrench);
  out.moment = frame.axes * Eigen::Map<const Eigen::Vector3d>(wrench + 3);
  if (frame.distance > 0) out.moment += frame.origin.cross(out.force);
  return out;
}

}  // namespace

InverseDynamics newton_euler(const Tree& tree, const VectorXd& parameters, const VectorXd& q,
                             const VectorXd& qd, const VectorXd& qdd, const Vector6& tool_wrench) {
  dynamics::require_parameters(tree, parameters);
  dynamics::require_per_joint(tree, q, "q");
  dynamics::require_per_joint(tree, qd, "qd");
  dynamics::require_per_joint(tree, qdd, "qdd");
  const auto skeleton = dynamics::skeleton_of(tree);
  const std::size_t n = tree.joints.size();
  InverseDynamics result{VectorXd(tree.size()), std::vector<JointWrench>(n)};
  const dynamics::Bodies bodies(*skeleton, parameters.data());
  articulated::View view = dynamics::view_of(*skeleton, bodies.data(), tree.gravity);
  view.push = dynamics::push_of(tree, *skeleton, tool_wrench);
  articulated::Call call{q.data(), qd.data(), qdd.data(), 1, 1, result.tau.data(), 1};
  dynamics::Scratch wrenches(6 * n);
  call.wrenches = wrenches.data();
  dynamics::run_inverse(view, call);
  for (std::size_t i = 0; i < n; ++i)
    result.wrenches[i] = in_link_frame(skeleton->frames[i], wrenches.data() + 6 * i);
  return result;
}

VectorXd gravity_torque(const Tree& tree, const VectorXd& parameters, const VectorXd& q) {
  const VectorXd rest = VectorXd::Zero(tree.size());
  return newton_euler(tree, parameters, q, rest, rest).tau;
}

}  // namespace steelyard
