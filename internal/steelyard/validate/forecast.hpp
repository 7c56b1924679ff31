// The error to expect on a motion that was not measured.
//
//   squares = noise² n + Σ_k ‖R d_k‖²         R: of the motion's rows of one kind, n of them
//
// noise: RMS residual of the fit. Directions d_k say how far the parameters may be wrong:
//
//   scatter    what the errors of each group of the fitted rows did to the parameters. Counted twice: the other motion has
//              errors of its own, which would move its best parameters as far
//   expected   what the rows do not show; from the bodies, or the friction, that one would expect (identify/forecast_spread.hpp)
//   changes    what differs from day to day
//
// The influence of group g, with residuals e and T Tᵀ = (YᵀY)⁻¹ (bias-reduced, CR2 in the literature on clustered rows): the sum
// of squares of
//
//   d_g = T (I − H_g)^(−1/2) Tᵀ Y_gᵀ e_g,     H_g = Tᵀ Y_gᵀ Y_g T
//
// has (YᵀY)⁻¹ as its mean where rows are independent. What only one group shows has no scatter, instead of the infinite one of a
// refit without the group.
//
// Each part is a random number, and so is their sum. Written with normal z:
//
//   noise² n exp(0.4 z) + 2 scatter F + expected exp(1.5 z) + changes exp(2.5 z)
//
// F: of F(ν_error, ν_groups): few squares give the scatter, and few directions the one error that will happen,
//
//   ν_groups = (Σ s_k)² / Σ s_k², at most G − 1,         s_k = ‖R d_k‖²      (as many groups as contribute)
//   ν_error  = (tr K)² / ‖K‖²,                           K_kl = d_kᵀ RᵀR d_l
//
// The forecast is the median, the bounds are quantiles; all from the same few hundred points, evenly spread over the five
// numbers z. The factors 2, 0.4, 1.5 and 2.5 are chosen on simulated robots (docs/forecast.md). A motion is given as folds, so that its
// length does not matter.
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
  MatrixXd scatter;   // columns × groups
  MatrixXd expected;  // columns × any number
  MatrixXd changes;   // the same
  std::vector<RowNoise> noise;
  VectorXd values;  // of the model: efforts are those it predicts; empty: those measured
};

// √((G − 1)/G) (π_g − π̄) of refits without each of G groups.
MatrixXd jackknife(const std::vector<VectorXd>& refits);

// The rows of a group.
struct GroupRows {
  MatrixXd H;  // Tᵀ YᵀY T
  VectorXd u;  // Tᵀ Yᵀe
};
// d_g, one column a group.
MatrixXd influences(const std::vector<GroupRows>& groups, const MatrixXd& T);

struct ForecastRow {
  std::string row;
  std::string unit;
  Index rows = 0;
  double effort = 0;            // ‖τ‖
  double mean = 0;              // √ of the squares above
  double expected = 0;          // ‖error‖: its median
  double lower = 0, upper = 0;  // of the level, both sides together 2 (1 − level) outside
};
struct Forecast {
  std::vector<ForecastRow> per_row;
  std::vector<ForecastRow> totals;  // by unit
};

inline constexpr double kForecastLevel = 0.9;  // of the upper bound alone
inline constexpr double kOwnErrors = 2;        // of the scatter: both motions have errors

// Folds with equal rows are one kind. Columns that the spread does not have are taken as known.
Forecast forecast(std::span<const Fold> motion, const ParameterSpread& spread, double level = kForecastLevel);

}  // namespace steelyard
