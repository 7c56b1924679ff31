// Step 5 of a study: the error to expect on other motions (validate/forecast.hpp).
// How far the parameters may be wrong: forecast_spread.hpp.
//
// Typical motions: random ones within the limits of the robot's joints (at most 2 rad/s or 0.5 m/s).
#pragma once

#include <optional>
#include <vector>

#include "identify/checks.hpp"
#include "steelyard/validate/forecast.hpp"

namespace steelyard::inline STEELYARD_ABI {

// Folds of typical motions, with the efforts of these values. Columns are those of a fresh run without payload; states where an
// expression of the study has no value are left out.
std::vector<Fold> typical_motions(const Setup& setup, const Estimate& estimate);

Forecasts forecast_errors(const Setup& setup, const Folded& folded, const Fit& fit,
                          const std::optional<FeasibleModel>& feasible, const CrossValidation& refits,
                          const std::vector<VectorXd>& feasible_refits);

ParameterSpread spread_of(const SpreadSummary& summary);

MotionForecast motion_forecast(const Setup& setup, std::span<const Fold> motion,
                               const ParameterSpread& spread);

}  // namespace steelyard
