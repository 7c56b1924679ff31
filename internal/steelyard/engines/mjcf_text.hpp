// A robot as MJCF text: the input of MuJoCo, and the output of an export.
//
// A body's frame is the link frame, its joint is that of the link. Inertias are written as principal axes and
// moments (MuJoCo's own diagonalisation of a full tensor costs up to 1e-6 of M).
//
//   armature       Ia
//   damping        fv
//   frictionloss   fc (a constraint in MuJoCo, not a force law)
//
// Mimic joints become equality constraints, which are soft in MuJoCo.
#pragma once

#include <string>

#include "steelyard/core/abi.hpp"
#include "steelyard/robot/robot.hpp"
#include "steelyard/simulate/drives.hpp"

namespace steelyard::inline STEELYARD_ABI {

// Throws InputError for a physically impossible inertia, and for a link without mass that MuJoCo would
// refuse.
std::string mjcf_text(const Robot& robot, const TrueParameters& parameters);

}  // namespace steelyard
