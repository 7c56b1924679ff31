#include "steelyard/robot/inertia.hpp"

#include <cmath>
#include <numbers>

namespace steelyard::inline STEELYARD_ABI {

Pose Pose::inverse() const {
  Pose T_BA;
  T_BA.rotation = rotation.transpose();
  T_BA.position = -(rotation.transpose() * position);
  return T_BA;
}

Pose operator*(const Pose& T_AB, const Pose& T_BC) {
  Pose T_AC;
  T_AC.rotation = T_AB.rotation * T_BC.rotation;
  T_AC.position = T_AB.rotation * T_BC.position + T_AB.position;
  return T_AC;
}

bool is_turn(Motion motion) {
  return motion == Motion::turn_x || motion == Motion::turn_y || motion == Motion::turn_z;
}

int axis_index(Motion motion) {
  switch (motion) {
    case Motion::turn_x:
    case Motion::move_x:
      return 0;
    case Motion::turn_y:
    case Motion::move_y:
      return 1;
    case Motion::turn_z:
    case Motion::move_z:
      break;
  }
  return 2;
}

SinCos exact_sin_cos(double angle) {
  constexpr double kQuarter = std::numbers::pi / 2;
  constexpr double kManyTurns = 1e6;  // beyond it a double has no 1e-14 rad resolution left anyway
  if (std::abs(angle) < kManyTurns) {
    const double quarters = std::round(angle / kQuarter);
    if (std::abs(angle - quarters * kQuarter) <= 1e-14) {
      const int k = static_cast<int>(quarters) & 3;
      constexpr SinCos kExact[4] = {{0, 1}, {1, 0}, {0, -1}, {-1, 0}};
      return kExact[k];
    }
  }
  return {std::sin(angle), std::cos(angle)};
}

Matrix3 turn(int axis, double angle) {
  const SinCos sc = exact_sin_cos(angle);
  const int j = (axis + 1) % 3;
  const int k = (axis + 2) % 3;
  Matrix3 R = Matrix3::Identity();
  R(j, j) = sc.cos;
  R(k, k) = sc.cos;
  R(j, k) = -sc.sin;
  R(k, j) = sc.sin;
  return R;
}

Matrix3 turn_about(const Vector3& unit, double angle) {
  const SinCos sc = exact_sin_cos(angle);
  return sc.cos * Matrix3::Identity() + sc.sin * skew(unit) + (1 - sc.cos) * (unit * unit.transpose());
}

Matrix3 skew(const Vector3& v) {
  Matrix3 S;
  S << 0, -v[2], v[1], v[2], 0, -v[0], -v[1], v[0], 0;
  return S;
}

bool is_identity(const Step& step) {
  if (!is_turn(step.motion)) return step.value == 0;
  const SinCos sc = exact_sin_cos(step.value);
  return sc.sin == 0 && sc.cos == 1;
}

Pose to_pose(const Step& step) {
  Pose pose;
  if (is_turn(step.motion)) {
    pose.rotation = turn(axis_index(step.motion), step.value);
  } else {
    pose.position[axis_index(step.motion)] = step.value;
  }
  return pose;
}

Pose to_pose(const Steps& steps) {
  Pose pose;
  for (const Step& step : steps) pose = pose * to_pose(step);
  return pose;
}

Steps steps_from_xyz_rpy(const Vector3& xyz, const Vector3& rpy, const std::string& prefix) {
  Steps steps;
  const auto add = [&](Motion motion, double value, const char* suffix) {
    const Step step{motion, value, prefix + suffix};
    if (!is_identity(step)) steps.push_back(step);
  };
  add(Motion::move_x, xyz[0], ".x");
  add(Motion::move_y, xyz[1], ".y");
  add(Motion::move_z, xyz[2], ".z");
  add(Motion::turn_z, rpy[2], ".yaw");
  add(Motion::turn_y, rpy[1], ".pitch");
  add(Motion::turn_x, rpy[0], ".roll");
  return steps;
}

}  // namespace steelyard
