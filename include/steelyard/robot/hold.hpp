// The same robot with some joints standing still: a mobile manipulator whose log is of one arm, a gripper
// that was closed all the time.
//
//   pose of a held link in its parent's frame = before · motion(axis, held position) · after,   fixed
//
// A held link becomes part of the link that carries it, inertia included; on the base it disappears. Mimic
// joints follow their master: they move when it does. Only statics and dynamics of the joints that move are
// kept: bounds and limits of held joints are gone.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/robot/robot.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

// `moving` by joint name; all others are held, at the given positions [rad or m] or at zero. Throws
// InputError for names that are not there, moving mimic joints, and robots with a transmission between joints
// of both kinds.
Robot hold_joints(const Robot& robot, const std::vector<std::string>& moving,
                  const std::map<std::string, double>& positions = {});

}  // namespace STEELYARD_ABI
}  // namespace steelyard
