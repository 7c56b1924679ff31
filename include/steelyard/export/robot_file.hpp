// The robot as our own files: YAML (docs/robot.md) with its numbers beside it, and JSON with both.
//
// Link frames are those that the joints move (`convention: frames`): where the identified robot keeps a
// link's frame at its far end (standard DH), the body's numbers are turned into the joint's frame.
//
//   to_robot_yaml        a robot file: `robot:` of a study takes it
//   to_parameters_yaml   all numbers by machine name, and friction forms of single joints
//   to_robot_json        {"conventions", "robot", "parameters", "friction"}
#pragma once

#include <string>

#include "steelyard/core/abi.hpp"
#include "steelyard/export/model.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

struct RobotFileText {
  std::string text;
  double error = 0;  // efforts of what was read back, over the largest
};

// The model with every link's frame moved to its own joint.
ExportModel with_joint_frames(const ExportModel& model);

RobotFileText to_robot_yaml(const ExportModel& model);
RobotFileText to_parameters_yaml(const ExportModel& model);
RobotFileText to_robot_json(const ExportModel& model);

}  // namespace STEELYARD_ABI
}  // namespace steelyard
