// Recursive Newton-Euler in link frames, about link origins, with ten parameters per link (docs/dynamics.md).
#include <Eigen/Geometry>

#include "dynamics/arguments.hpp"
#include "steelyard/dynamics/dynamics.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

using dynamics::Body;
using dynamics::body_of;
using dynamics::joint_of;

// Motion of a link frame in its own axes; `linear` is the acceleration of its origin minus gravity.
struct LinkMotion {
  Vector3 omega;
  Vector3 alpha;
  Vector3 linear;
};

LinkMotion motion_of_child(const LinkMotion& parent, const TreeJoint& joint, const Pose& pose, double qd,
                           double qdd) {
  const auto Rt = pose.rotation.transpose();
  const Vector3& p = pose.position;
  const Vector3 carried = Rt * parent.omega;
  LinkMotion link;
  link.omega = carried + joint.z * qd;
  link.alpha = Rt * parent.alpha + joint.z * qdd + carried.cross(joint.z) * qd;
  link.linear = Rt * (parent.linear + parent.alpha.cross(p) + parent.omega.cross(parent.omega.cross(p))) +
                joint.v * qdd + (2 * carried.cross(joint.v) + joint.z.cross(joint.v) * qd) * qd;
  return link;
}

// Force and moment about the link origin that give the body its motion.
JointWrench wrench_of_motion(const Body& body, const LinkMotion& link) {
  JointWrench wrench;
  wrench.force =
      body.m * link.linear + link.alpha.cross(body.mc) + link.omega.cross(link.omega.cross(body.mc));
  wrench.moment = body.J * link.alpha + body.mc.cross(link.linear) + link.omega.cross(body.J * link.omega);
  return wrench;
}

// The same wrench about the origin and in the axes of A, given in B.
JointWrench expressed_in(const Pose& T_AB, const JointWrench& wrench) {
  JointWrench result;
  result.force = T_AB.rotation * wrench.force;
  result.moment = T_AB.rotation * wrench.moment + T_AB.position.cross(result.force);
  return result;
}

}  // namespace

InverseDynamics newton_euler(const Tree& tree, const VectorXd& parameters, const VectorXd& q,
                             const VectorXd& qd, const VectorXd& qdd, const Vector6& tool_wrench) {
  dynamics::require_parameters(tree, parameters);
  dynamics::require_per_joint(tree, q, "q");
  dynamics::require_per_joint(tree, qd, "qd");
  dynamics::require_per_joint(tree, qdd, "qdd");

  const int n = tree.size();
  const std::vector<Pose> poses = dynamics::joint_poses(tree, q);
  const LinkMotion base{Vector3::Zero(), Vector3::Zero(), -tree.gravity};
  std::vector<LinkMotion> motions(tree.joints.size());
  InverseDynamics result{VectorXd(n), std::vector<JointWrench>(tree.joints.size())};
  for (int i = 0; i < n; ++i) {
    const auto k = static_cast<std::size_t>(i);
    const TreeJoint& joint = joint_of(tree, i);
    const LinkMotion& parent = joint.parent < 0 ? base : motions[static_cast<std::size_t>(joint.parent)];
    motions[k] = motion_of_child(parent, joint, poses[k], qd[i], qdd[i]);
    result.wrenches[k] = wrench_of_motion(body_of(parameters, i), motions[k]);
  }
  if (tree.tool_link >= 0) {
    // The surroundings push the tool: the joint has that much less to do.
    const JointWrench outer = expressed_in(tree.tool, {tool_wrench.head<3>(), tool_wrench.tail<3>()});
    JointWrench& last = result.wrenches[static_cast<std::size_t>(tree.tool_link)];
    last.force -= outer.force;
    last.moment -= outer.moment;
  }
  for (int i = n - 1; i >= 0; --i) {
    const auto k = static_cast<std::size_t>(i);
    const TreeJoint& joint = joint_of(tree, i);
    result.tau[i] = joint.z.dot(result.wrenches[k].moment) + joint.v.dot(result.wrenches[k].force);
    if (joint.parent < 0) continue;
    const JointWrench carried = expressed_in(poses[k], result.wrenches[k]);
    JointWrench& parent = result.wrenches[static_cast<std::size_t>(joint.parent)];
    parent.force += carried.force;
    parent.moment += carried.moment;
  }
  return result;
}

VectorXd gravity_torque(const Tree& tree, const VectorXd& parameters, const VectorXd& q) {
  const VectorXd rest = VectorXd::Zero(tree.size());
  return newton_euler(tree, parameters, q, rest, rest).tau;
}

}  // namespace steelyard
