// Instrumental variables on folds of [Y | Z | τ]: parameters without the bias that noise in Y gives.
//
//   Zᵀ W (Y π − τ) = 0     →     π = (ZᵀWY)⁻¹ ZᵀWτ,     cov π = σ² (ZᵀWY)⁻¹ ZᵀWZ (YᵀWZ)⁻¹
//
// Y is made from measured positions; its noise correlates with itself, so that least squares shrinks the
// parameters of accelerations. Z are columns that follow Y but not its noise: the regressor of a simulated
// motion (simulate/closed_loop.hpp). A column `c` has the instrument `iv:c` in the same row. Rows are
// weighted as in estimate(): by joint, iterated, or by joint and block; W is diagonal.
//
// With the factor of [Z | Y | τ], Z first, A = the part of Y above Z's rank and b that of τ:
//   π = A⁻¹ b,   cov π = σ² (AᵀA)⁻¹,   σ² from the residuals Y π − τ themselves.
// ZᵀY is never formed. When Z has dependent columns, A has fewer rows and columns of Y are `dependent`.
//
// How far the instruments can be trusted:
//   strength      per column, Shea's partial R²: the variance of the column's value by least squares over
//                 that by instruments, between 0 and 1
//   correlation   the smallest canonical correlation of Y and Z
//   first_stage   F = c²/(1 − c²) (rows − instruments)/instruments, Cragg and Donald's statistic for that
//                 c; below 10 the instruments count as weak (Staiger and Stock): values lean towards least
//                 squares and standard deviations are too small
//   hausman       (π_LS − π)ᵀ (cov π − cov π_LS)⁺ (π_LS − π), about χ² with `hausman_degrees` degrees when
//                 least squares has no bias; far above that it has
// None of them can show that Z is independent of the noise: that must follow from how Z was made.
#pragma once

#include <span>
#include <string>

#include "steelyard/core/abi.hpp"
#include "steelyard/estimate/estimate.hpp"

namespace steelyard::inline STEELYARD_ABI {

inline constexpr const char* kInstrumentPrefix = "iv:";
inline constexpr double kWeakInstruments = 10;  // F of the first stage

std::string instrument_name(const std::string& column);  // "iv:m4"
bool is_instrument(const std::string& column);

struct InstrumentEstimate {
  // Columns are those of Y. `condition` is that of A; `factor` is R of [Y | τ], weighted, as of estimate().
  Estimate estimate;
  VectorXd least_squares;  // values with the same weights and Z = Y
  VectorXd strength;
  double correlation = 0;
  double first_stage = 0;  // infinite when Y lies in the span of Z
  bool weak = false;
  Index instruments = 0;  // rank of Z
  double hausman = 0;
  Index hausman_degrees = 0;
  Fold all;  // R of [Y | Z | τ], weighted, priors included

  VectorXd shift;  // (least squares − π) / σ, per column; 0 where not determined

  // Hausman's statistic more than three standard deviations above its mean, and a value moved by more than
  // σ/2: with many rows the test alone also finds what does not matter.
  bool least_squares_is_biased() const;
};

// Every column of a fold needs its instrument; otherwise InputError with the first that has none. Priors have
// no instruments: they are their own.
InstrumentEstimate instrument_estimate(std::span<const Fold> folds, const EstimateOptions& options = {},
                                       std::span<const Fold> priors = {});

// The folds without their instrument columns, for everything that is not an IV estimate.
std::vector<Fold> without_instruments(std::span<const Fold> folds);

}  // namespace steelyard
