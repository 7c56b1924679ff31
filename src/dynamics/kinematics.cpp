#include <Eigen/Geometry>

#include "dynamics/arguments.hpp"
#include "steelyard/dynamics/dynamics.hpp"

namespace steelyard::inline STEELYARD_ABI {

using dynamics::joint_of;

std::vector<Pose> forward_kinematics(const Tree& tree, const VectorXd& q) {
  dynamics::require_per_joint(tree, q, "q");
  std::vector<Pose> poses;
  poses.reserve(tree.joints.size());
  for (int i = 0; i < tree.size(); ++i) {
    const TreeJoint& joint = joint_of(tree, i);
    const Pose own = joint.pose(q[i]);
    poses.push_back(joint.parent < 0 ? own : poses[static_cast<std::size_t>(joint.parent)] * own);
  }
  return poses;
}

Pose tool_pose(const Tree& tree, const VectorXd& q) {
  dynamics::require_per_joint(tree, q, "q");
  if (tree.tool_link < 0) return tree.tool;
  Pose pose;
  for (const int i : joint_of(tree, tree.tool_link).path) pose = pose * joint_of(tree, i).pose(q[i]);
  return pose * tree.tool;
}

MatrixXd tool_jacobian(const Tree& tree, const VectorXd& q) {
  dynamics::require_per_joint(tree, q, "q");
  MatrixXd jacobian = MatrixXd::Zero(6, tree.size());
  if (tree.tool_link < 0) return jacobian;
  const Vector3 tool = tool_pose(tree, q).position;
  Pose pose;
  for (const int i : joint_of(tree, tree.tool_link).path) {
    const TreeJoint& joint = joint_of(tree, i);
    pose = pose * joint.pose(q[i]);
    const Vector3 angular = pose.rotation * joint.z;
    const Vector3 arm = tool - pose.position;
    jacobian.block<3, 1>(0, i) = pose.rotation * joint.v + angular.cross(arm);
    jacobian.block<3, 1>(3, i) = angular;
  }
  return jacobian;
}

Energies energies(const Tree& tree, const VectorXd& parameters, const VectorXd& q, const VectorXd& qd) {
  dynamics::require_parameters(tree, parameters);
  dynamics::require_per_joint(tree, qd, "qd");
  const std::vector<Pose> poses = forward_kinematics(tree, q);
  // Velocities of the links in base axes; linear that of the link's origin.
  std::vector<Vector3> linear, angular;
  Energies sum{0, 0};
  for (int i = 0; i < tree.size(); ++i) {
    const TreeJoint& joint = joint_of(tree, i);
    const Pose& pose = poses[static_cast<std::size_t>(i)];
    Vector3 omega = pose.rotation * joint.z * qd[i];
    Vector3 v = pose.rotation * joint.v * qd[i];
    if (joint.parent >= 0) {
      const auto parent = static_cast<std::size_t>(joint.parent);
      v += linear[parent] + angular[parent].cross(pose.position - poses[parent].position);
      omega += angular[parent];
    }
    const dynamics::Body body = dynamics::body_of(parameters, i);
    const Vector3 mc = pose.rotation * body.mc;
    const Vector3 own = pose.rotation.transpose() * omega;
    sum.kinetic += 0.5 * (body.m * v.squaredNorm() + 2 * v.dot(omega.cross(mc)) + own.dot(body.J * own));
    sum.potential -= tree.gravity.dot(body.m * pose.position + mc);
    linear.push_back(v);
    angular.push_back(omega);
  }
  return sum;
}

}  // namespace steelyard
