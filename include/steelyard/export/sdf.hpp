// The robot as an SDF model (Gazebo and others), version 1.6.
//
// Links stand in the model's frame at joint positions 0, their frames are the link frames of the robot. A
// joint stands in its child's frame, its axis, too. Inertias are about the centre of mass in axes parallel to
// the link frame. The base is a link held by the world. Gravity belongs to the world and not to a model.
//   damping   fv        friction   fc
// Rotor inertia, offsets, asymmetric, sigmoid and Stribeck friction, coupled pairs and mimic joints cannot be
// expressed in this version: not_carried.
#pragma once

#include <string>

#include "steelyard/core/abi.hpp"
#include "steelyard/export/urdf.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

// Throws InputError for a physically impossible inertia.
ExportedText to_sdf(const ExportModel& model);

}  // namespace STEELYARD_ABI
}  // namespace steelyard
