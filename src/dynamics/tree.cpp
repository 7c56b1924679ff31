#include "dynamics/skeleton.hpp"

#include <Eigen/Geometry>
#include <cmath>

namespace steelyard::inline STEELYARD_ABI {
namespace {

// With b, a the poses of `before` and `after` and n the axis in the joint frame, Rodrigues' formula
// Rn(q) = n nᵀ + (1 − n nᵀ) cos q + S(n) sin q gives R = R_b Rn R_a and p = p_b + R_b Rn p_a.
void set_revolute(TreeJoint& joint, const Pose& b, const Vector3& n, const Pose& a) {
  const Matrix3 along = n * n.transpose();
  const Matrix3 still = b.rotation * along;
  const Matrix3 cosine = b.rotation * (Matrix3::Identity() - along);
  const Matrix3 sine = b.rotation * skew(n);
  joint.R0 = still * a.rotation;
  joint.Rc = cosine * a.rotation;
  joint.Rs = sine * a.rotation;
  joint.p0 = b.position + still * a.position;
  joint.pc = cosine * a.position;
  joint.ps = sine * a.position;
  joint.z = a.rotation.transpose() * n;
  joint.v = a.rotation.transpose() * n.cross(a.position);
}

void set_prismatic(TreeJoint& joint, const Pose& b, const Vector3& n, const Pose& a) {
  joint.R0 = b.rotation * a.rotation;
  joint.Rc.setZero();
  joint.Rs.setZero();
  joint.p0 = b.position + b.rotation * a.position;
  joint.pc = b.rotation * n;
  joint.ps.setZero();
  joint.z.setZero();
  joint.v = a.rotation.transpose() * n;
}

}  // namespace

Pose TreeJoint::pose(double q) const {
  Pose result;
  if (prismatic) {
    result.rotation = R0;
    result.position = p0 + pc * q;
    return result;
  }
  const double c = std::cos(q);
  const double s = std::sin(q);
  result.rotation = R0 + Rc * c + Rs * s;
  result.position = p0 + pc * c + ps * s;
  return result;
}

Tree compile(const Robot& robot) {
  validate(robot);
  Tree tree;
  tree.base = to_pose(robot.base);
  tree.gravity = tree.base.rotation.transpose() * robot.gravity;
  tree.tool = to_pose(robot.tool);
  tree.tool_link = robot.tool_link < 0 ? robot.size() - 1 : robot.tool_link;
  tree.joints.reserve(robot.joints.size());
  for (int i = 0; i < robot.size(); ++i) {
    const Joint& source = robot.joints[static_cast<std::size_t>(i)];
    const Pose before = to_pose(source.before);
    const Pose after = to_pose(source.after);
    // Files give axes with few digits; rotations must be exact.
    const Vector3 axis = source.axis / source.axis.norm();
    TreeJoint joint;
    joint.parent = source.parent;
    joint.prismatic = source.kind == JointKind::prismatic;
    if (joint.prismatic) {
      set_prismatic(joint, before, axis, after);
    } else {
      set_revolute(joint, before, axis, after);
    }
    if (source.parent >= 0) joint.path = tree.joints[static_cast<std::size_t>(source.parent)].path;
    joint.path.push_back(i);
    tree.joints.push_back(std::move(joint));
  }
  tree.skeleton = dynamics::make_skeleton(tree.joints);
  return tree;
}

}  // namespace steelyard
