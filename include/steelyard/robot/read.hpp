// Robots from files: our YAML format (docs/robot.md), URDF and MJCF.
#pragma once

#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/robot/robot.hpp"

namespace steelyard::inline STEELYARD_ABI {

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

// A robot derived from another robot's file: what a URDF cannot express, and joints that do not move.
//
//   from: tiago.urdf
//   moving: [torso_lift_joint, arm_1_joint, …]     # all others are held at zero, or
//   held: {head_1_joint: 0.3}
//   drive: [viscous, coulomb, offset]
//   transmission: {ratios: […], zero: […]}         # of the joints that move, as in other robot files
//   coupled: [[joint5, joint6]]
//
// The other file is read as it is and not changed; its path is relative to this one. docs/robot.md.

// All files a robot is read from: its own, and those it is derived from, in that order.
std::vector<std::string> robot_files(const std::string& path);

// SHA-256 of the file; of a derived robot, of the hashes of all its files.
std::string robot_file_hash(const std::string& path);

// SHA-256 of everything that a robot in memory holds: names, geometry, limits, drives, inertias, bounds.
std::string robot_hash(const Robot& robot);

}  // namespace steelyard
