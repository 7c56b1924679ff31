// Least squares with the efforts of every joint at its own time, all samples of the coarse runs at once:
//   min_π Σ_j w_j ‖τ_j(t + δ_j) − Y_j(t) π‖²,   w_j one over joint j's own residual (four iterations)
// Normal equations with a ridge of 1e-6 of each column's square: columns that depend on others stay finite.
// Rows near a joint's reversals are left out, as in trial.hpp. A change of δ_j changes the right-hand side
// alone and costs a product with H⁻¹.
//
// Friction that builds up over a displacement (presliding, hysteresis) looks like a late effort. One joint
// may have it as three further columns, z_s with dz/dq = (sign q̇ − z)/s for s = 0.2, 1 and 5 % of its range.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "steelyard/doctor/trial.hpp"

namespace steelyard::doctor {

// Of one joint, the samples at which it moves.
struct DelayRows {
  Eigen::MatrixXd Y;        // samples × columns
  Eigen::MatrixXd efforts;  // samples × shifts
  Eigen::MatrixXd lag;      // samples × 3, see above
  Eigen::VectorXd stamps;   // [s] from the beginning of its run
  struct RunRows {
    std::size_t run;  // of the trial
    Index begin, count;
  };
  std::vector<RunRows> runs;
};

struct DelayData {
  std::vector<DelayRows> joints;
  VectorXd lateness;  // [s] of the shifts
  Index none = 0;     // the shift that is zero
};

// Rows within `smear` seconds of a reversal are left out. Runs whose shifts differ (other rates) are left out
// behind the first.
DelayData delay_data(const Trial& trial, double smear);

// Which shift each joint has.
using Shifts = std::vector<Index>;

class DelayFit {
 public:
  // `lagging`: the joint with friction that builds up over a displacement; −1: none.
  explicit DelayFit(const DelayData& data, int lagging = -1);

  // Weights from the residuals with these shifts.
  void weigh(const Shifts& shifts);
  // Square of each joint's residual over its effort.
  Eigen::VectorXd residuals(const Shifts& shifts) const;
  // The parameters.
  Eigen::VectorXd solve(const Shifts& shifts) const;

 private:
  std::vector<Eigen::MatrixXd> gram_, mixed_;  // YᵀY, Yᵀτ of every shift
  std::vector<Eigen::VectorXd> effort_;        // τᵀτ of every shift
  Eigen::VectorXd weights_;
  Eigen::MatrixXd inverse_;
};

}  // namespace steelyard::doctor
