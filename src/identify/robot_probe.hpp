// Is a robot that of an earlier model? What base parameters depend on are lengths, axes, zeros, kinds of joints,
// couplings and gravity, however a file writes them. They are compared by their effect: the efforts that
// made-up bodies on the links need at rest and in one motion,
//
//   τ = Cᵀ τ_all(q, q̇, q̈) of the tree, with the cross terms of coupled pairs.
//
// That is linear in the bodies, so that it depends on a robot as its base parameters do: not on names, limits,
// masses, the tool, or the pose of the base as long as gravity turns with it; and DH parameters agree with the
// URDF of the same robot.
#pragma once

#include "steelyard/identify/setup.hpp"
#include "steelyard/result/result.hpp"

namespace steelyard::inline STEELYARD_ABI {

RobotProbe robot_probe(const Robot& robot);

// Name, hash, probe and coordinates of the robot.
void put_robot(const Setup& setup, Result& result);

// The set-up, with a warning where the model is of a version that did not write the probe and of another robot
// file. Throws InputError that says what differs: gravity, or the joint.
Setup with_robot_of(const Result& model, Setup setup);

}  // namespace steelyard
