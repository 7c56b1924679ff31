#include "steelyard/robot/robot.hpp"

namespace steelyard::inline STEELYARD_ABI {

int tool_link(const Robot& robot) {
  return robot.tool_link < 0 ? robot.size() - 1 : robot.tool_link;
}

MatrixXd load_to_link(const Robot& robot) {
  const Pose tool = to_pose(robot.tool);
  MatrixXd map(kParametersPerLink, kParametersPerLink);
  for (int k = 0; k < kParametersPerLink; ++k) {
    Vector10 unit = Vector10::Zero();
    unit[k] = 1;
    map.col(k) = Inertia::from_standard(unit).expressed_in(tool).to_standard();
  }
  return map;
}

}  // namespace steelyard
