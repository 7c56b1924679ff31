// The error to expect on a motion that was not measured.
//
//   e_r² = noise_r² + mean of y Σ yᵀ over the rows y of kind r,       Σ = Σ_k d_k d_kᵀ
//
// noise: RMS residual of the fit. d_k: how the parameters scatter. Groups of blocks are left out in turn
// (jackknife), which also shows the errors of the model that least squares takes for noise:
//
//   d_g = √((G − 1)/G) (π_g − π̄)       G groups
//
// and directions that the rows do not show have no scatter: theirs come from the bodies one would expect
// (identify/forecast.hpp). A motion is given as folds: of their R only ‖R d_k‖² is used, so that its length does
// not matter.
//
// Interval. Both the scatter and the one error that will happen are sums of few squares: their ratio is taken
// as F distributed, with the degrees of freedom
//
//   ν_scatter = 3 (Σ s_k)² / Σ s_k² − 3, at most G − 1,   s_k = ‖R d_k‖²      (G for squares of normal numbers)
//   ν_error   = (tr K)² / ‖K‖²,                           K_kl = d_kᵀ RᵀR d_l
#pragma once

#include <span>
#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/estimate/estimate.hpp"

namespace steelyard::inline STEELYARD_ABI {

// RMS residual of the fitted rows of a kind [N·m or N].
struct RowNoise {
  std::string row;
  double rms = 0;
};

struct ParameterSpread {
  std::vector<std::string> columns;
  MatrixXd scatter;   // columns × groups: d_g
  MatrixXd expected;  // columns × any number: of directions that the rows do not show
  std::vector<RowNoise> noise;
  VectorXd values;  // of the model: efforts are those it predicts; empty: those measured
};

// d_g from the values of the refits.
MatrixXd jackknife(const std::vector<VectorXd>& refits);

struct ForecastRow {
  std::string row;
  std::string unit;
  Index rows = 0;
  double effort = 0;            // ‖τ‖
  double expected = 0;          // ‖error‖
  double lower = 0, upper = 0;  // of the level, both sides together 2 (1 − level) outside
};
struct Forecast {
  std::vector<ForecastRow> per_row;
  std::vector<ForecastRow> totals;  // by unit
};

inline constexpr double kForecastLevel = 0.9;  // of the upper bound alone

// Folds with equal rows are one kind. Columns that the spread does not have are taken as known.
Forecast forecast(std::span<const Fold> motion, const ParameterSpread& spread, double level = kForecastLevel);

}  // namespace steelyard
