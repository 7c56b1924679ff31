// Motions as linear combinations: q_j(t) = Σ_k φ_k(t) x_kj + fixed part of joint j.
//
// Fourier: sin(lωt), −cos(lωt) for l = 1 … L, then 1, each with its own lead-in. Points: the points that are
// not given. The φ_k are the trajectories of simulate/ themselves, with one "joint" for each coefficient.
#pragma once

#include "steelyard/excite/motion.hpp"

namespace steelyard::inline STEELYARD_ABI {

// Samples × columns; columns are coefficients or joints.
struct GridMotion {
  MatrixXd q, qd, qdd;
};

GridMotion sample_motion(const Trajectory& trajectory, const VectorXd& time);

class MotionBasis {
 public:
  MotionBasis(const ExciteOptions& options, Index joints);

  Index size() const { return size_; }  // coefficients of a joint
  Index joints() const { return joints_; }
  double omega() const { return omega_; }
  double step() const { return step_; }  // [s] of the search's grid
  double duration() const { return duration_; }

  GridMotion columns(const VectorXd& time) const;  // φ
  GridMotion fixed(const VectorXd& time) const;    // of the joints
  VectorXd grid(double step) const;                // from 0 to the end, both included

  // Largest |φ̇_k| and |φ̈_k| for a unit coefficient.
  VectorXd speed(Index derivative) const;

  DesignedMotion motion(const MatrixXd& x) const;             // size() × joints()
  MatrixXd coefficients(const DesignedMotion& motion) const;  // throws InputError for other shapes
  MatrixXd still(const VectorXd& pose) const;                 // the coefficients of resting there

 private:
  DesignedMotion shape(const MatrixXd& x, const MatrixXd& ends) const;  // for any number of joints

  ExciteOptions options_;
  Index joints_, size_ = 0;
  double omega_ = 0, step_ = 0, duration_ = 0;
};

}  // namespace steelyard
