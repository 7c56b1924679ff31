// A point of a cone program's path: y, the slacks and multipliers of all cones, and the certificate they give
// (cone_program.hpp has the formula).
#pragma once

#include <vector>

#include "feasible/cone_hessian.hpp"

namespace steelyard::inline STEELYARD_ABI {

class ConePoint {
 public:
  explicit ConePoint(const ConeProgram& program);

  Eigen::VectorXd y, x;
  std::vector<ScaledBlock> blocks;
  ScaledBall ball;
  double mu = 0;
  double weight = 0;  // w
  double centre = 0;  // t of the last step

  // Slacks at y; false when one is not positive definite.
  bool move_to(const Eigen::VectorXd& at);
  // Z = μ S⁻¹
  void set_multipliers();
  // False when a slack or multiplier is not positive definite.
  bool rescale();

  double objective() const;
  // Gradient of the objective's smooth part and of size, minus that of the multipliers.
  Eigen::VectorXd residual(double t) const;
  double certificate_gap() const;
  double covered_gap() const;                               // the part of it that no rounding touches
  double uncovered_gap(const Eigen::VectorXd& rest) const;  // what a residual `rest` adds to it

  // Multipliers near the present ones that leave less of the gradient: ΔZ = Z F(Tλ) Z with the smallest λ
  // that covers it. In this metric large multipliers move and small ones stay, so that the rounding errors of
  // Newton steps near the end (which are in the large ones) can be removed.
  void polish(ConeHessian& hessian);

 private:
  // What is left of the objective's gradient after the multipliers and size.
  Eigen::VectorXd uncovered() const;

  const ConeProgram& program_;
  Eigen::VectorXd size_slope_;
};

}  // namespace steelyard
