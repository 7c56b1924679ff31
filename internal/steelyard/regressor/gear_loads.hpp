// Gears that take a share of the effort that passes through them.
//
//   τ = τ_load + μ |τ_load| S(q̇) + …  = (1 + μ σ) τ_load + …        σ = S(q̇) sign(τ_load)
//   μ = μd or μb,  or 2κ/(1 − κσ), κ = κ0 + κs e^(−(q̇/vm)²)
//
// τ_load is the effort of all bodies at the gear's output, S the smooth sign tanh(q̇/v) of the velocity, μ the
// share where the gear drives its load (σ > 0) or is driven by it (σ < 0). κ is the share
// of what passes on both sides, τ − τ_load = κ |τ + τ_load| S, and may be larger near rest. For given signs of τ_load the model
// stays linear: a plan with gears multiplies the columns of links in the rows of such joints by 1 + μ σ, and
// whatever folds, predicts or weighs rows works with efforts at the drive. The signs come from values of the
// links' columns. A wrong sign counts only where τ_load is near zero, so that the signs of nearly right values
// are good to second order.
#pragma once

#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/regressor/plan.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct GearLoad {
  Index row = 0;             // of the plan; its joint has this gear
  double driving = 0;        // μ where the gear drives its load
  double driven = 0;         // μ where the load drives the gear
  double velocity = 0;       // v of S(q̇) = tanh(q̇/v) [rad/s, m/s]; 0: sign(q̇)
  double mean = 0;           // κ0
  double peak = 0;           // κs, what κ grows by towards rest
  double peak_velocity = 1;  // vm [rad/s, m/s]
};

struct GearLoads {
  VectorXd values;  // of the plan's columns; those of drives do not count
  std::vector<GearLoad> gears;
};

double smooth_sign(double velocity, double qd);
// e^(−(q̇/velocity)²)
double stribeck_decay(double velocity, double qd);
// κ at a velocity, and 1 + μ σ.
double mean_share(const GearLoad& gear, double qd);
double gear_factor(const GearLoad& gear, double qd, double load);

// A column of a link, not of a drive.
bool is_link_column(const std::string& column);

// Σ values · columns of links in a row of evaluate()'s tile, gears or not: load[s] for s < count.
void row_load(const Plan& plan, std::size_t row, const VectorXd& values, const double* tile,
              Index column_stride, Index count, double* load);

// What evaluate() does with a plan's gears.
void apply_gears(const Plan& plan, const Samples& samples, double* tile, Index column_stride);

}  // namespace steelyard
