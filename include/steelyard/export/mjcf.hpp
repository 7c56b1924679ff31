// The robot as an MJCF model for MuJoCo.
//
// A body's frame is the link frame, its joint is that of the link. Inertias are written as principal axes and
// moments (MuJoCo's own diagonalisation of a full tensor costs up to 1e-6 of M).
//
//   armature       Ia
//   damping        fv
//   frictionloss   fc (a constraint in MuJoCo, not a force law)
//
// Offsets, asymmetric, sigmoid and Stribeck friction and coupled pairs cannot be expressed in MJCF:
// not_carried. Mimic joints become equality constraints, which are soft in MuJoCo.
#pragma once

#include <string>

#include "steelyard/core/abi.hpp"
#include "steelyard/export/urdf.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

// Throws InputError for a physically impossible inertia, and for a link without mass that MuJoCo would
// refuse.
ExportedText to_mjcf(const ExportModel& model);

}  // namespace STEELYARD_ABI
}  // namespace steelyard
