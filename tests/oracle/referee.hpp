// Inverse dynamics a second time, in long double and by another road than src/dynamics: virtual work in base
// axes.
//
//   τ_i = Σ_k (∂c_k/∂q_i)·m_k (c̈_k − g) + (∂ω_k/∂q̇_i)·(I_k α_k + ω_k × I_k ω_k) − (tool Jacobian)ᵀ w
//
// with the centres of mass c_k and their Jacobians written down joint by joint from the robot's steps. No
// recursion of wrenches, no link frames, no compiled tree. Links have positive mass or no inertia at all.
#pragma once

#include "steelyard/robot/robot.hpp"

namespace steelyard::oracle {

struct RefereeResult {
  VectorXd tau;
  VectorXd
      scale;  // per joint: the sum of the magnitudes that tau is a sum of; rounding errors are relative to it
  MatrixXd mass_matrix;
};

RefereeResult referee(const Robot& robot, const VectorXd& q, const VectorXd& qd, const VectorXd& qdd,
                      const Vector6& tool_wrench = Vector6::Zero());

}  // namespace steelyard::oracle
