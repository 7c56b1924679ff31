// The rest of the model from g and M alone.
//
//   S(q, q̇) from the Christoffel symbols of M (Ṁ − 2S skew-symmetric),   τ̂ = M(q) q̈ + S(q, q̇) q̇ + g(q)
//
// Holds when both g and M were fitted: their base is that of the whole rigid-body dynamics. Rotor inertias
// add Ia q̈. No friction: a table at rest does not show any.
#pragma once

#include "steelyard/core/abi.hpp"
#include "steelyard/dynamics/dynamics.hpp"
#include "steelyard/reverse/fit.hpp"

namespace steelyard::inline STEELYARD_ABI {

class ReverseModel {
 public:
  // Throws InputError for fits of gravity or inertia alone.
  ReverseModel(const Robot& robot, const ReverseFit& fit);

  VectorXd gravity(const VectorXd& q) const;
  MatrixXd inertia(const VectorXd& q) const;
  MatrixXd coriolis(const VectorXd& q, const VectorXd& qd) const;  // S
  VectorXd torque(const VectorXd& q, const VectorXd& qd, const VectorXd& qdd) const;

 private:
  Tree tree_;
  Coordinates coordinates_;
  VectorXd parameters_;  // with the base values in the lead columns and zeros beside them
  VectorXd rotors_;
};

// The largest |xᵀ(Ṁ − 2S)x| / (|x|² |M| |q̇|) over random states, Ṁ by central differences of M: zero up to
// the error of the differences, about 1e-9.
double skew_symmetry_error(const ReverseModel& model, const Robot& robot, Index states = 20);

}  // namespace steelyard
