// Rounding of a table: an error of every entry that is known and bounded.
//
//   entry = true value + e,    e uniform within ± step/2,    variance step²/12
//
// Steps come from the numbers themselves: nine of ten numbers that were printed with d decimals, or with d
// significant digits, need all of them. Errors of different entries are independent, but for components that
// hardly change: where an entry takes three values or fewer, entries with the same value have the same error
// (a constant M77 leaves no residual, and is wrong by up to half a step all the same). Positions that were
// rounded shift all entries of their configuration by ∂(g, M)/∂q.
//
// For y = A⁻¹ Σ w² yᵢ zᵢ, A = Σ w² yᵢ yᵢᵀ, this gives
//
//   Cov y = A⁻¹ B A⁻¹ + x σ² A⁻¹      B = Σ of w⁴ step²/12 yᵢyᵢᵀ, of groups and of positions likewise
//
// with the share x of the residual's squares that rounding does not explain: noise, or a model that is not the
// table's. Not for tables with all digits, where it is the plain covariance.
#pragma once

#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/reverse/fit.hpp"
#include "steelyard/reverse/rows.hpp"

namespace steelyard::inline STEELYARD_ABI {

// How these numbers were printed; those that are zero or NaN say nothing.
Rounding rounding_of(const Eigen::Ref<const Eigen::MatrixXd>& numbers);

// Sets the rounding of gravity and inertia from their entries, which have no unit but their own.
void recognize_rounding(ReverseTable& table);

// Standard deviation of the rounding of a component, RMS over the entries that are used.
double rounding_sigma(const ReverseTable& table, const Row& row, const ReverseOptions& options);

struct RoundingCovariance {
  MatrixXd covariance;     // of the free base values; zero for those that are not determined
  double unexplained = 1;  // x
};
// `folds`: with the weights of the estimate that gave the values.
RoundingCovariance rounding_covariance(const Robot& robot, const ReverseTable& table, const ReverseFit& fit,
                                       const ReverseOptions& options, const FreeBase& free,
                                       const TableFolds& folds);

}  // namespace steelyard
