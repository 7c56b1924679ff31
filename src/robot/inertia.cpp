#include "steelyard/robot/inertia.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <limits>

namespace steelyard::inline STEELYARD_ABI {
namespace {

// Second moment Σ = ∫ x xᵀ dm and inertia J = tr(Σ) 1 − Σ determine each other linearly.
Matrix3 second_moment_from(const Matrix3& J) {
  return 0.5 * J.trace() * Matrix3::Identity() - J;
}
Matrix3 inertia_from(const Matrix3& second_moment) {
  return second_moment.trace() * Matrix3::Identity() - second_moment;
}

Vector10 pack(double mass, const Vector3& first_moment, const Matrix3& J) {
  const Matrix3 S = 0.5 * (J + J.transpose());
  Vector10 parameters;
  parameters << mass, first_moment, S(0, 0), S(0, 1), S(0, 2), S(1, 1), S(1, 2), S(2, 2);
  return parameters;
}

}  // namespace

Matrix3 symmetric_matrix(double xx, double xy, double xz, double yy, double yz, double zz) {
  Matrix3 M;
  M << xx, xy, xz, xy, yy, yz, xz, yz, zz;
  return M;
}

Inertia::Inertia() : parameters_(Vector10::Constant(std::numeric_limits<double>::quiet_NaN())) {}

Inertia Inertia::zero() {
  return Inertia(Vector10::Zero());
}

Inertia Inertia::from_standard(const Vector10& parameters) {
  return Inertia(parameters);
}

Inertia Inertia::from_mass_com_inertia(double mass, const Vector3& com, const Matrix3& inertia_com) {
  const Matrix3 S = skew(com);
  return Inertia(pack(mass, mass * com, inertia_com + mass * S.transpose() * S));
}

Inertia Inertia::from_pseudo_inertia(const Matrix4& pseudo) {
  return Inertia(
      pack(pseudo(3, 3), pseudo.topRightCorner<3, 1>(), inertia_from(pseudo.topLeftCorner<3, 3>())));
}

Vector3 Inertia::com() const {
  if (mass() == 0) return Vector3::Constant(std::numeric_limits<double>::quiet_NaN());
  return first_moment() / mass();
}

Matrix3 Inertia::inertia_origin() const {
  const Vector10& p = parameters_;
  return symmetric_matrix(p[4], p[5], p[6], p[7], p[8], p[9]);
}

Matrix3 Inertia::inertia_com() const {
  const Matrix3 S = skew(com());
  return inertia_origin() - mass() * S.transpose() * S;
}

Matrix4 Inertia::pseudo_inertia() const {
  Matrix4 P;
  P.topLeftCorner<3, 3>() = second_moment_from(inertia_origin());
  P.topRightCorner<3, 1>() = first_moment();
  P.bottomLeftCorner<1, 3>() = first_moment().transpose();
  P(3, 3) = mass();
  return P;
}

// Congruence P_A = T P_B Tᵀ with the homogeneous matrix T, written out; it is linear and holds for zero mass
// too.
Inertia Inertia::expressed_in(const Pose& T_AB) const {
  const Matrix3& R = T_AB.rotation;
  const Vector3& p = T_AB.position;
  const Vector3 turned = R * first_moment();
  const Matrix3 cross = turned * p.transpose();
  const Matrix3 second_moment = R * second_moment_from(inertia_origin()) * R.transpose() + cross +
                                cross.transpose() + mass() * p * p.transpose();
  return Inertia(pack(mass(), turned + mass() * p, inertia_from(second_moment)));
}

Inertia Inertia::operator+(const Inertia& other) const {
  return Inertia(parameters_ + other.parameters_);
}

std::optional<std::string> Inertia::violated_law() const {
  if (!is_finite()) return "finite numbers: a parameter is not a finite number";
  if (parameters_.isZero(0)) return std::nullopt;
  if (!(mass() > 0)) return fmt::format("positive mass: m = {:.6g}", mass());
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(inertia_com(), Eigen::EigenvaluesOnly);
  const Eigen::Vector3d& I = solver.eigenvalues();  // ascending
  // J and not I sets the scale: I is the difference of two numbers of the size of J.
  const double tolerance = 1e-9 * inertia_origin().cwiseAbs().maxCoeff();
  const std::string moments = fmt::format("principal moments {:.6g}, {:.6g}, {:.6g}", I[0], I[1], I[2]);
  if (I[0] < -tolerance) {
    return fmt::format("positive inertia: {} about the centre of mass, {:.6g} < 0", moments, I[0]);
  }
  if (I[0] + I[1] < I[2] - tolerance) {
    return fmt::format("triangle inequality: {}, {:.6g} + {:.6g} < {:.6g} by {:.3g}", moments, I[0], I[1],
                       I[2], I[2] - I[0] - I[1]);
  }
  return std::nullopt;
}

}  // namespace steelyard
