// Robots from files: our YAML format (docs/robot.md), URDF and MJCF.
#pragma once

#include <string>
#include <vector>

#include "steelyard/core/error.hpp"
#include "steelyard/robot/robot.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

struct RobotFile {
  Robot robot;
  std::vector<Complaint> warnings;  // impossible inertia, missing inertial, ignored elements
};

// By extension: .yaml / .yml, .urdf, .mjcf, or .xml, which is MJCF when its root is <mujoco>. Throws
// InputError (exit code 2) or MachineError (not readable).
RobotFile read_robot(const std::string& path);

// From text; `name` stands for the file in messages.
RobotFile read_robot_yaml(const std::string& text, const std::string& name);
RobotFile read_robot_urdf(const std::string& text, const std::string& name);
RobotFile read_robot_mjcf(const std::string& text, const std::string& name);

}  // namespace STEELYARD_ABI
}  // namespace steelyard
