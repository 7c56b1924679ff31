#include "dynamics/spatial.hpp"

#include <Eigen/Geometry>

namespace steelyard::inline STEELYARD_ABI {
namespace dynamics {

Matrix6 motion_transform(const Pose& T_AB) {
  Matrix6 X = Matrix6::Zero();
  const Matrix3 Rt = T_AB.rotation.transpose();
  X.topLeftCorner<3, 3>() = Rt;
  X.topRightCorner<3, 3>() = -Rt * skew(T_AB.position);
  X.bottomRightCorner<3, 3>() = Rt;
  return X;
}

Matrix6 spatial_inertia(const Body& body) {
  Matrix6 inertia;
  const Matrix3 mc = skew(body.mc);
  inertia.topLeftCorner<3, 3>() = body.m * Matrix3::Identity();
  inertia.topRightCorner<3, 3>() = -mc;
  inertia.bottomLeftCorner<3, 3>() = mc;
  inertia.bottomRightCorner<3, 3>() = body.J;
  return inertia;
}

Vector6 cross_motion(const Vector6& V, const Vector6& W) {
  const Vector3 v = V.head<3>();
  const Vector3 omega = V.tail<3>();
  const Vector3 w = W.head<3>();
  const Vector3 turn = W.tail<3>();
  Vector6 result;
  result.head<3>() = omega.cross(w) + v.cross(turn);
  result.tail<3>() = omega.cross(turn);
  return result;
}

Matrix6 coriolis_operator(const Matrix6& inertia, const Vector6& V) {
  const Matrix3 v = skew(V.head<3>());
  const Matrix3 omega = skew(V.tail<3>());
  Matrix6 cross = Matrix6::Zero();
  cross.topLeftCorner<3, 3>() = omega;
  cross.topRightCorner<3, 3>() = v;
  cross.bottomRightCorner<3, 3>() = omega;
  const Vector6 momentum = inertia * V;
  Matrix6 result = -cross.transpose() * inertia - inertia * cross;
  const Matrix3 force = skew(momentum.head<3>());
  result.topRightCorner<3, 3>() -= force;
  result.bottomLeftCorner<3, 3>() -= force;
  result.bottomRightCorner<3, 3>() -= skew(momentum.tail<3>());
  return 0.5 * result;
}

Vector6 joint_twist(const TreeJoint& joint) {
  Vector6 twist;
  twist << joint.v, joint.z;
  return twist;
}

}  // namespace dynamics
}  // namespace steelyard
