// Poses, and the elementary steps they are made of.
//
// A Pose of frame B in frame A is R_AB (columns: the axes of B in A) and p_AoBo_A (the origin of B from the
// origin of A, in A): x_A = R_AB x_B + p_AoBo_A. Composition: T_AC = T_AB * T_BC.
//
// A Step is a turn about or a move along one coordinate axis by a fixed amount that has a name (`a2`, `d4`,
// `alpha3`, `wrist.z`). Joints keep their fixed geometry as steps and not only as numbers, so that base
// parameters can be printed in terms of named lengths and angles.
#pragma once

#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

struct Pose {
  Matrix3 rotation = Matrix3::Identity();  // R_AB
  Vector3 position = Vector3::Zero();      // p_AoBo_A

  Pose inverse() const;
};

Pose operator*(const Pose& T_AB, const Pose& T_BC);

enum class Motion { turn_x, turn_y, turn_z, move_x, move_y, move_z };

bool is_turn(Motion motion);
int axis_index(Motion motion);  // 0, 1, 2 for x, y, z

struct Step {
  Motion motion = Motion::move_x;
  double value = 0;  // rad or m
  std::string name;  // symbol; empty for a step that is a plain number
};

using Steps = std::vector<Step>;

// sin and cos that are exact for multiples of π/2: an angle within 1e-14 rad of one is rounded to it, so that
// `pi/2` in a robot file gives exact zeros in its rotations.
struct SinCos {
  double sin;
  double cos;
};
SinCos exact_sin_cos(double angle);

Matrix3 turn(int axis, double angle);                   // rotation about x (0), y (1) or z (2)
Matrix3 turn_about(const Vector3& unit, double angle);  // Rodrigues
Matrix3 skew(const Vector3& v);                         // S(v) x = v × x
bool is_identity(const Step& step);  // moves by zero, turns by zero or whole turns (see exact_sin_cos)
Pose to_pose(const Step& step);
Pose to_pose(const Steps& steps);

// Steps of a URDF-like origin: move x, y, z, then turn z (yaw), y (pitch), x (roll). Steps that are the
// identity are left out. Names are `<prefix>.x` … `<prefix>.yaw`.
Steps steps_from_xyz_rpy(const Vector3& xyz, const Vector3& rpy, const std::string& prefix);

}  // namespace STEELYARD_ABI
}  // namespace steelyard
