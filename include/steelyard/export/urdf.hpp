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

namespace steelyard {
inline namespace STEELYARD_ABI {

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

}  // namespace STEELYARD_ABI
}  // namespace steelyard
