// Identified numbers in the user's own URDF: only inertials and joint dynamics change, every other byte
// stays.
//
// URDF states the inertia about the centre of mass, here by principal axes (rpy) and moments, or in axes
// parallel to the link frame where these are principal. Readers that keep inertias diagonal lose nothing. A
// link moved by a joint carries the links fixed to it; what was identified is their sum T. The fixed links
// keep their inertials C as long as the rest T − C is physically possible; otherwise the moving link takes
// all and theirs become zero.
//   <dynamics damping friction>   fv and fc, as friction against the motion
// Rotor inertia, offsets, asymmetric, sigmoid and Stribeck friction and coupled pairs cannot be expressed in
// URDF: not_carried.
//
// The robot may have been described otherwise (DH): then the URDF must have the same joints in the same
// places, and the inertias are expressed in its link frames.
#pragma once

#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/export/model.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct ExportedText {
  std::string text;
  std::vector<NotCarried> not_carried;
  std::vector<std::string> joints;  // of a URDF: its names of the model's joints, in their order
  std::vector<std::string> zeroed;  // fixed links whose inertials were set to zero
  double error = 0;  // largest difference of inertial parameters read back, over the largest of the same unit
};

// `original` is the text of the URDF, `name` stands for it in messages. Throws InputError when the URDF
// cannot be read, its joints are not those of the robot, or an inertia is physically impossible.
ExportedText to_urdf(const ExportModel& model, const std::string& original, const std::string& name);

// What a format that carries damping, dry friction and (or not) rotor inertia leaves out.
std::vector<NotCarried> not_carried(const ExportModel& model, bool rotor_inertia);

// The robot as an SDF model (Gazebo and others), version 1.6.
//
// Links stand in the model's frame at joint positions 0, their frames are the link frames of the robot. A
// joint stands in its child's frame, its axis, too. Inertias are about the centre of mass in axes parallel to
// the link frame. The base is a link held by the world. Gravity belongs to the world and not to a model.
//   damping   fv        friction   fc
// Rotor inertia, offsets, asymmetric, sigmoid and Stribeck friction, coupled pairs and mimic joints cannot be
// expressed in this version: not_carried.

// Throws InputError for a physically impossible inertia.
ExportedText to_sdf(const ExportModel& model);

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

// Throws InputError for a physically impossible inertia, and for a link without mass that MuJoCo would
// refuse.
ExportedText to_mjcf(const ExportModel& model);

// The robot as our own files: YAML (docs/robot.md) with its numbers beside it, and JSON with both.
//
// Link frames are those that the joints move (`convention: frames`): where the identified robot keeps a
// link's frame at its far end (standard DH), the body's numbers are turned into the joint's frame.
//
//   to_robot_yaml        a robot file: `robot:` of a study takes it
//   to_parameters_yaml   all numbers by machine name, and friction forms of single joints
//   to_robot_json        {"conventions", "robot", "parameters", "friction"}

struct RobotFileText {
  std::string text;
  double error = 0;  // efforts of what was read back, over the largest
};

// The model with every link's frame moved to its own joint.
ExportModel with_joint_frames(const ExportModel& model);

RobotFileText to_robot_yaml(const ExportModel& model);
RobotFileText to_parameters_yaml(const ExportModel& model);
RobotFileText to_robot_json(const ExportModel& model);

}  // namespace steelyard
