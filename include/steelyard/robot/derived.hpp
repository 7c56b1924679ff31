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
#pragma once

#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

// All files a robot is read from: its own, and those it is derived from, in that order.
std::vector<std::string> robot_files(const std::string& path);

// SHA-256 of the file; of a derived robot, of the hashes of all its files.
std::string robot_file_hash(const std::string& path);

}  // namespace STEELYARD_ABI
}  // namespace steelyard
