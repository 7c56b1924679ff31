// Step 5 of a study: the error to expect on other motions (validate/forecast.hpp).
//
// Scatter of the parameters: from refits without groups of blocks, those at the same phase of a motion together.
// Links are refitted with their constraints. Directions that the rows do not show take theirs from the bodies
// one would expect: with the Hessian G of Σ D(P ‖ P⁰) at the reference x⁰,
//
//   estimate   N K [x⁰, κ G^(−1/2)]         N: on what no row shows, where the estimate is zero
//   links      κ w (H + w G)⁻¹ G^(1/2)       H: of φ; by how much the pull w towards x⁰ ± κ G^(−1/2) errs
//
// Friction changes from day to day, and one log does not show it: ±10 % of every viscous and Coulomb value.
//
// Typical motions: random ones within the limits of the robot's joints (at most 2 rad/s or 0.5 m/s).
#pragma once

#include <optional>
#include <vector>

#include "identify/checks.hpp"
#include "steelyard/validate/forecast.hpp"

namespace steelyard::inline STEELYARD_ABI {

// Folds of typical motions, with the efforts of these values.
std::vector<Fold> typical_motions(const Setup& setup, const Estimate& estimate);

Forecasts forecast_errors(const Setup& setup, const Folded& folded, const Fit& fit,
                          const std::optional<FeasibleModel>& feasible, const CrossValidation& refits,
                          const std::vector<VectorXd>& feasible_refits);

ParameterSpread spread_of(const SpreadSummary& summary);

MotionForecast motion_forecast(const Setup& setup, std::span<const Fold> motion,
                               const ParameterSpread& spread);

}  // namespace steelyard
