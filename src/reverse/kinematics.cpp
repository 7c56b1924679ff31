#include <fmt/format.h>

#include <Eigen/Geometry>
#include <Eigen/SVD>
#include <cmath>

#include "steelyard/core/error.hpp"
#include "steelyard/core/linear_algebra.hpp"
#include "steelyard/dynamics/dynamics.hpp"
#include "steelyard/reverse/examine.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr double kWrongKinematics = 1e-3;  // per rad; tables have more digits than that

struct JacobianPair {
  Eigen::MatrixXd given;  // 6 × n
  Eigen::MatrixXd own;    // in base or tool axes
};

std::vector<JacobianPair> jacobian_pairs(const Robot& robot, const ReverseTable& table, bool tool_axes) {
  const Tree tree = compile(robot);
  const Coordinates reduced = coordinates(robot);
  const Index n = table.joints();
  std::vector<JacobianPair> pairs;
  for (Index k = 0; k < table.size(); ++k) {
    const Eigen::VectorXd row = table.jacobian.row(k).transpose();
    if (!row.allFinite()) continue;
    JacobianPair& pair = pairs.emplace_back();
    pair.given = Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
        row.data(), 6, n);
    const VectorXd q = reduced.matrix * table.q.row(k).transpose() + reduced.offset;
    pair.own = tool_jacobian(tree, q) * reduced.matrix;
    const Eigen::Matrix3d turn = tool_pose(tree, q).rotation;
    // Columns for the offset: v + ω × o with o in tool axes.
    if (!tool_axes) continue;
    pair.own.topRows(3) = (turn.transpose() * pair.own.topRows(3)).eval();
    pair.own.bottomRows(3) = (turn.transpose() * pair.own.bottomRows(3)).eval();
  }
  return pairs;
}

// The rotation that takes own angular parts to the given ones best (Kabsch).
Eigen::Matrix3d best_turn(const std::vector<JacobianPair>& pairs) {
  Eigen::Matrix3d moment = Eigen::Matrix3d::Zero();
  for (const JacobianPair& pair : pairs)
    moment += pair.given.bottomRows(3) * pair.own.bottomRows(3).transpose();
  const Eigen::JacobiSVD<Eigen::Matrix3d> svd(moment, Eigen::ComputeFullU | Eigen::ComputeFullV);
  Eigen::Vector3d signs(1, 1, (svd.matrixU() * svd.matrixV().transpose()).determinant() < 0 ? -1 : 1);
  return svd.matrixU() * signs.asDiagonal() * svd.matrixV().transpose();
}

KinematicsCheck compare(const Robot& robot, const ReverseTable& table, bool tool_axes) {
  std::vector<JacobianPair> pairs = jacobian_pairs(robot, table, tool_axes);
  if (pairs.empty()) throw InputError({fmt::format("{} has no complete Jacobian", table.name), {}, "", ""});
  const Eigen::Matrix3d turn = best_turn(pairs);
  const Tree tree = compile(robot);
  const Coordinates reduced = coordinates(robot);
  const Index n = table.joints(), count = static_cast<Index>(pairs.size());
  Eigen::MatrixXd A(3 * n * count, 3);
  Eigen::VectorXd b(3 * n * count);
  Index k = 0, row = 0;
  for (JacobianPair& pair : pairs) {
    while (!table.jacobian.row(row).allFinite()) ++row;
    const VectorXd q = reduced.matrix * table.q.row(row++).transpose() + reduced.offset;
    const Eigen::Matrix3d axes = tool_axes ? Eigen::Matrix3d(Eigen::Matrix3d::Identity())
                                           : Eigen::Matrix3d(tool_pose(tree, q).rotation);
    pair.own.topRows(3) = (turn * pair.own.topRows(3)).eval();
    for (Index j = 0; j < n; ++j) {
      const Eigen::Vector3d omega = pair.own.col(j).tail<3>();
      for (Index c = 0; c < 3; ++c)
        A.block<3, 1>(3 * k, c) = turn * omega.cross(Eigen::Vector3d(axes.col(c)));
      b.segment<3>(3 * k++) = pair.given.col(j).head<3>() - pair.own.col(j).head<3>();
    }
    pair.own.bottomRows(3) = (turn * pair.own.bottomRows(3)).eval();
  }
  KinematicsCheck check;
  check.tool_axes = tool_axes;
  const Eigen::Vector3d offset = ShortestSolution(A).solve(b);
  check.offset = offset;
  const Eigen::VectorXd rest = b - A * offset;
  k = 0;
  double worst = -1;
  for (const JacobianPair& pair : pairs)
    for (Index j = 0; j < n; ++j, ++k) {
      const double angular = (pair.given.col(j).tail<3>() - pair.own.col(j).tail<3>()).norm();
      const double linear = rest.segment<3>(3 * k).norm();
      check.angular = std::max(check.angular, angular);
      check.linear = std::max(check.linear, linear);
      if (angular + linear > worst) worst = angular + linear, check.worst_joint = static_cast<int>(j);
    }
  return check;
}

}  // namespace

KinematicsCheck check_kinematics(const Robot& robot, const ReverseTable& table) {
  if (!table.has_jacobian()) throw InputError({fmt::format("{} has no Jacobian", table.name), {}, "", ""});
  const KinematicsCheck base = compare(robot, table, false), tool = compare(robot, table, true);
  return base.angular + base.linear <= tool.angular + tool.linear ? base : tool;
}

std::vector<Finding> examine(const Robot& robot, const KinematicsCheck& check) {
  if (check.angular <= kWrongKinematics && check.linear <= kWrongKinematics) return {};
  const int joint = coordinates(robot).joints[static_cast<std::size_t>(check.worst_joint)];
  return {make_finding(
      "kinematics", robot.joints[static_cast<std::size_t>(joint)].name,
      fmt::format("the Jacobian differs from the robot's by {:.3g} in directions and {:.3g} m in distances, "
                  "for any point and axes of the tool",
                  check.angular, check.linear))};
}

}  // namespace steelyard
