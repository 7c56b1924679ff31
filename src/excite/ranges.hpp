// Ranges of the independent joints.
#pragma once

#include <vector>

#include "steelyard/robot/robot.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct JointRange {
  double low = 0, high = 0;
};

// Position limits of the coordinates' own joints; `limits` (one per joint) instead of the robot's when given,
// `free_range` both ways where there is none.
std::vector<JointRange> joint_ranges(const Robot& robot, const std::vector<Limits>& limits,
                                     double free_range);

}  // namespace steelyard
