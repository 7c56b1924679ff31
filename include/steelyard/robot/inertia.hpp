// The ten standard inertial parameters of a link, as a value type.
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
#pragma once

#include <array>
#include <optional>
#include <string>

#include "steelyard/core/abi.hpp"
#include "steelyard/robot/pose.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

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

}  // namespace STEELYARD_ABI
}  // namespace steelyard
