// Poses, and the ten standard inertial parameters of a link, as value types.
//
// A Pose of frame B in frame A is R_AB (columns: the axes of B in A) and p_AoBo_A (the origin of B from the
// origin of A, in A): x_A = R_AB x_B + p_AoBo_A. Composition: T_AC = T_AB * T_BC.
//
// A Step is a turn about or a move along one coordinate axis by a fixed amount that has a name (`a2`, `d4`,
// `alpha3`, `wrist.z`). Joints keep their fixed geometry as steps and not only as numbers, so that base
// parameters can be printed in terms of named lengths and angles.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"

namespace steelyard::inline STEELYARD_ABI {

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

// The ten parameters of a link.
//
// Order: m, mx, my, mz, Jxx, Jxy, Jxz, Jyy, Jyz, Jzz.
//   m           mass [kg]
//   mx my mz    first moment m·c [kg·m], c the centre of mass in the link frame
//   J           inertia about the ORIGIN of the link frame [kg·m²], matrix entries (Jxy = −∫xy dm)
// I is the inertia about the centre of mass, axes parallel to the link frame: J = I + m S(c)ᵀ S(c).
//
// A body with non-negative density has a positive semidefinite pseudo-inertia
//   P = [ Σ  mc ; mcᵀ  m ],  Σ = ½ tr(J) 1 − J   (second moment ∫ x xᵀ dm)
// which is the same as m > 0, I positive semidefinite and the triangle inequality of its principal moments.
// Source: Wensing, Kim, Slotine, "Linear matrix inequalities for physically consistent inertial parameter
// identification", RA-L 2018.

inline constexpr int kParametersPerLink = 10;
inline constexpr std::array<const char*, kParametersPerLink> kParameterStems = {
    "m", "mx", "my", "mz", "Jxx", "Jxy", "Jxz", "Jyy", "Jyz", "Jzz"};

class Inertia {
 public:
  Inertia();  // all NaN: an inertia that was not given
  static Inertia zero();
  static Inertia from_standard(const Vector10& parameters);
  static Inertia from_mass_com_inertia(double mass, const Vector3& com, const Matrix3& inertia_com);
  static Inertia from_pseudo_inertia(const Matrix4& pseudo);

  const Vector10& to_standard() const { return parameters_; }
  double mass() const { return parameters_[0]; }
  Vector3 first_moment() const { return parameters_.segment<3>(1); }
  Vector3 com() const;             // NaN when the mass is zero
  Matrix3 inertia_origin() const;  // J
  Matrix3 inertia_com() const;     // I; NaN when the mass is zero
  Matrix4 pseudo_inertia() const;  // P

  // The same body seen from frame A, given in B, with T_AB = pose of B in A.
  Inertia expressed_in(const Pose& T_AB) const;
  Inertia operator+(const Inertia& other) const;

  // Nothing when the body is physically possible (or exactly zero); otherwise the violated law with its
  // numbers, for example "triangle inequality: principal moments 0.1, 0.2, 0.5, 0.1 + 0.2 < 0.5". Tolerance:
  // 1e-9 relative, since files print few digits.
  std::optional<std::string> violated_law() const;
  bool is_finite() const { return parameters_.allFinite(); }

 private:
  explicit Inertia(const Vector10& parameters) : parameters_(parameters) {}
  Vector10 parameters_;
};

Matrix3 symmetric_matrix(double xx, double xy, double xz, double yy, double yz, double zz);

}  // namespace steelyard
