// M by dense 6×6 maps in link frames, and forward dynamics through it: slow, and by another road than the kernels.
//
//   M_ij = s_iᵀ X_i←jᵀ I^c_j s_j,   I^c_p += Xᵀ I^c X;    q̈ = (Cᵀ M C + B)⁻¹ (τ − Cᵀ (S q̇ + g))
//
// Twists s, transforms X and inertias I as in docs/dynamics.md; the bias is that of the long-double referee.
#pragma once

#include "steelyard/dynamics/dynamics.hpp"

namespace steelyard::oracle {

MatrixXd dense_mass_matrix(const Tree& tree, const VectorXd& parameters, const VectorXd& q);

struct DenseForward {
  VectorXd qdd;
  MatrixXd M;      // Cᵀ M C + B
  VectorXd scale;  // magnitudes of the efforts that the right-hand side is a sum of
};
DenseForward dense_forward(const Robot& robot, const VectorXd& q, const VectorXd& qd, const VectorXd& tau,
                           const MatrixXd& rotors, const Vector6& tool_wrench = Vector6::Zero());

}  // namespace steelyard::oracle
