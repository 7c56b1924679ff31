// Gains with physically feasible parameters of bodies and drives.
//
//   min Σ_j w_j² ‖v_j − (unmix · (W K x + W_L χ_L))_j / g_j‖²       over gains, standard parameters x, loads
//   s_j g_j > 0,  P_link ⪰ δ m diag(ℓ², ℓ², ℓ², 1),  P_load ⪰ 0,  Ia, fv, fc ≥ 0,  bounds of the robot file
//
// s_j is the sign of the a-priori gain, else of the transmission ratio, else that of the plain prediction
// error. Gauss-Newton: every step is a convex problem of the stage `feasible`, from the folds alone. Fixed
// parameters of loads are equalities. Standard deviations and intervals are those of the plain prediction
// error: active constraints make them too wide, not too small.
#pragma once

#include "steelyard/core/abi.hpp"
#include "steelyard/gains/fit.hpp"
#include "steelyard/regressor/base.hpp"
#include "steelyard/robot/robot.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct FeasibleGains {
  GainFit fit;            // method `feasible`; base parameters are those of `standard`
  bool feasible = false;  // false: the constraints contradict each other, `fit` is the plain one
  std::vector<std::string>
      columns;  // standard parameters of the links, loads as further links, drives, gains
  VectorXd x;
  std::vector<std::string> active;  // constraints at their limits
};

// `plain`: the fit by prediction error, where the steps start.
FeasibleGains fit_feasible_gains(const GainProblem& problem, const Robot& robot, const BaseParameters& base,
                                 const GainFit& plain, const GainOptions& options = {});

}  // namespace steelyard
