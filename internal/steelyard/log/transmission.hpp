// From the motor side to the joint side:
//
//   q = N⁻¹ q_m + zero,   q̇ = N⁻¹ q̇_m,   q̈ = N⁻¹ q̈_m,   τ = Nᵀ τ_m
//
// with N the transmission's matrix, q_m = N (q − zero). It is exact for rigid transmissions; with elastic
// ones q is the motor's angle seen through the gear, not the link's.
#pragma once

#include "steelyard/log/run.hpp"
#include "steelyard/robot/robot.hpp"

namespace steelyard::inline STEELYARD_ABI {

// Converts the channels motor_position, motor_velocity, motor_acceleration and motor_torque in place and
// drops the prefix from their names. A motor channel beside the joint channel of the same name is left as it
// is. Throws InputError when there is a motor channel but no transmission, or one of another size, or a
// singular one.
void to_joint_side(const Transmission& transmission, SampleBlock& block);

}  // namespace steelyard
