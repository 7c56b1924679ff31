#include "steelyard/robot/robot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "steelyard/core/error.hpp"

namespace steelyard::inline STEELYARD_ABI {

int Robot::index_of(const std::string& joint_or_link) const {
  for (int i = 0; i < size(); ++i) {
    if (joints[i].name == joint_or_link) return i;
  }
  for (int i = 0; i < size(); ++i) {
    if (joints[i].link == joint_or_link) return i;
  }
  return -1;
}

VectorXd standard_parameters(const Robot& robot) {
  VectorXd parameters(kParametersPerLink * robot.size());
  std::string missing;
  for (int i = 0; i < robot.size(); ++i) {
    const Joint& joint = robot.joints[i];
    if (joint.inertia) {
      parameters.segment<kParametersPerLink>(kParametersPerLink * i) = joint.inertia->to_standard();
    } else {
      missing += (missing.empty() ? "'" : ", '") + joint.link + "'";
    }
  }
  if (!missing.empty()) {
    throw InputError({fmt::format("robot '{}' has no inertia for link {}", robot.name, missing),
                      {},
                      "a mass, a centre of mass and an inertia for every link",
                      "add them to the robot file or identify them from a log first"});
  }
  return parameters;
}

std::vector<std::string> standard_parameter_names(const Robot& robot) {
  std::vector<std::string> names;
  names.reserve(kParametersPerLink * robot.joints.size());
  for (int i = 1; i <= robot.size(); ++i) {
    for (const char* stem : kParameterStems) names.push_back(stem + std::to_string(i));
  }
  return names;
}

Coordinates coordinates(const Robot& robot) {
  const int n = robot.size();
  std::vector<int> column_of(n, 0);
  for (const Mimic& mimic : robot.mimics) column_of[mimic.joint] = -1;
  Coordinates result;
  for (int i = 0; i < n; ++i) {
    if (column_of[i] < 0) continue;
    column_of[i] = static_cast<int>(result.joints.size());
    result.joints.push_back(i);
  }
  result.matrix = MatrixXd::Zero(n, static_cast<Index>(result.joints.size()));
  result.offset = VectorXd::Zero(n);
  for (int i = 0; i < n; ++i) {
    if (column_of[i] >= 0) result.matrix(i, column_of[i]) = 1;
  }
  for (const Mimic& mimic : robot.mimics) {
    require(column_of[mimic.master] >= 0, "a mimic's master is an independent joint");
    result.matrix(mimic.joint, column_of[mimic.master]) = mimic.ratio;
    result.offset[mimic.joint] = mimic.offset;
  }
  return result;
}

VectorXd link_lengths(const Robot& robot) {
  constexpr double kShortest = 0.01;
  VectorXd lengths = VectorXd::Constant(robot.size(), kShortest);
  for (int i = 0; i < robot.size(); ++i) {
    const Joint& joint = robot.joints[i];
    lengths[i] = std::max(lengths[i], to_pose(joint.after).position.norm());
    if (joint.parent < 0) continue;
    lengths[joint.parent] = std::max(lengths[joint.parent], to_pose(joint.before).position.norm());
  }
  if (robot.size() > 0) {
    const int link = robot.tool_link < 0 ? robot.size() - 1 : robot.tool_link;
    lengths[link] = std::max(lengths[link], to_pose(robot.tool).position.norm());
  }
  return lengths;
}

}  // namespace steelyard
