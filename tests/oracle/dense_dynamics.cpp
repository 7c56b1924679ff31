#include "oracle/dense_dynamics.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Geometry>

#include "oracle/referee.hpp"

namespace steelyard::oracle {
namespace {

using Map = Eigen::Matrix<double, 6, 6>;
using Twist = Eigen::Matrix<double, 6, 1>;

Map motion_map(const Pose& pose) {
  Map X = Map::Zero();
  const Eigen::Matrix3d Rt = pose.rotation.transpose();
  X.topLeftCorner<3, 3>() = Rt;
  X.topRightCorner<3, 3>() = -Rt * skew(pose.position);
  X.bottomRightCorner<3, 3>() = Rt;
  return X;
}

Map inertia_map(const VectorXd& p, Index at) {
  Map I;
  const Eigen::Matrix3d first = skew(Vector3(p[at + 1], p[at + 2], p[at + 3]));
  I << p[at] * Eigen::Matrix3d::Identity(), -first, first,
      symmetric_matrix(p[at + 4], p[at + 5], p[at + 6], p[at + 7], p[at + 8], p[at + 9]);
  return I;
}

}  // namespace

MatrixXd dense_mass_matrix(const Tree& tree, const VectorXd& parameters, const VectorXd& q) {
  const int n = tree.size();
  std::vector<Map> X, composite;
  std::vector<Twist> s;
  for (int i = 0; i < n; ++i) {
    const TreeJoint& joint = tree.joints[static_cast<std::size_t>(i)];
    X.push_back(motion_map(joint.pose(q[i])));
    composite.push_back(inertia_map(parameters, Index{10} * i));
    s.emplace_back();
    s.back() << joint.v, joint.z;
  }
  MatrixXd M = MatrixXd::Zero(n, n);
  for (int j = n - 1; j >= 0; --j) {
    auto at = static_cast<std::size_t>(j);
    Twist wrench = composite[at] * s[at];
    M(j, j) = s[at].dot(wrench);
    for (int i = tree.joints[at].parent; i >= 0; i = tree.joints[at].parent) {
      wrench = (X[at].transpose() * wrench).eval();
      at = static_cast<std::size_t>(i);
      M(i, j) = M(j, i) = s[at].dot(wrench);
    }
    const auto k = static_cast<std::size_t>(j);
    const int parent = tree.joints[k].parent;
    if (parent >= 0) composite[static_cast<std::size_t>(parent)] += X[k].transpose() * composite[k] * X[k];
  }
  return M;
}

DenseForward dense_forward(const Robot& robot, const VectorXd& q, const VectorXd& qd, const VectorXd& tau,
                           const MatrixXd& rotors, const Vector6& tool_wrench) {
  const Coordinates c = coordinates(robot);
  const VectorXd all = c.matrix * q + c.offset;
  const RefereeResult rest = referee(robot, all, c.matrix * qd, VectorXd::Zero(robot.size()), tool_wrench);
  DenseForward out;
  const MatrixXd M = dense_mass_matrix(compile(robot), standard_parameters(robot), all);
  out.M = c.matrix.transpose() * M * c.matrix + rotors;
  out.scale = tau.cwiseAbs() + c.matrix.cwiseAbs().transpose() * rest.scale;
  out.qdd = out.M.ldlt().solve(VectorXd(tau - c.matrix.transpose() * rest.tau));
  return out;
}

}  // namespace steelyard::oracle
