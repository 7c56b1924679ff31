// A robot as MJCF text: what MuJoCo is given, and what an export writes.
//
// A body's frame is the link frame, its joint stands where the link's own joint stands. Inertias are written
// by principal axes and moments (MuJoCo's own diagonalisation of a full tensor costs up to 1e-6 of M).
//   armature      Ia          damping   fv          frictionloss   fc (a constraint in MuJoCo, not a force
//   law)
// Mimic joints become equality constraints, which MuJoCo keeps softly.
#pragma once

#include <string>

#include "steelyard/core/abi.hpp"
#include "steelyard/robot/robot.hpp"
#include "steelyard/simulate/drives.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

// Throws InputError for an inertia that no body can have, and for a link without mass that MuJoCo would
// refuse.
std::string mjcf_text(const Robot& robot, const TrueParameters& parameters);

}  // namespace STEELYARD_ABI
}  // namespace steelyard
