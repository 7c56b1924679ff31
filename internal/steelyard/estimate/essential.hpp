// Essential parameters: columns with a relative standard deviation far above the best one are eliminated, one
// at a time.
//
//   repeat   ratio_k = (σ_k / |π_k|) / min_i (σ_i / |π_i|);   the column with the largest ratio is
//            eliminated when ratio_k > limit; π and σ of the others follow from the factor again
//
// The factor is that of the full estimate, its weights included: no pass over the log, and the weights do not
// follow the smaller model. σ is the classical one; its common factor does not matter for the ratio, so that
// for instrumental variables only (AᵀA)⁻¹ differs. Dependent columns are eliminated first, the one that
// contributes least before the others; columns that are zero everywhere take no part.
//
// Eliminated parameters are set to zero, not estimated as zero: intervals are those of the full model. The
// growth of the residual is the cost of the reduction.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/estimate/estimate.hpp"
#include "steelyard/estimate/instrument.hpp"
#include "steelyard/estimate/options.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct EliminatedColumn {
  std::string column;
  double relative_sigma = 0;     // in the model before its elimination; infinite when dependent
  double ratio = 0;              // to the smallest relative standard deviation there
  double residual_weighted = 0;  // ‖w (Y π − τ)‖ / ‖w τ‖ of the model without it
};

struct Essential {
  std::vector<std::string> columns;          // that remain, in the order of the full estimate
  std::vector<EliminatedColumn> eliminated;  // in the order of elimination
  double ratio = 1;                          // largest relative σ over the smallest, at the end
  VectorXd values;                           // in the order of the full estimate; zero for eliminated ones
  VectorXd sigma;                            // of the reduced model; zero for eliminated ones
  double residual_weighted = 0;
  double residual_weighted_full = 0;
  std::vector<Residual> totals;  // of the unweighted rows, one per unit
  std::vector<Residual> totals_full;
  double growth = 0;  // of totals' relative residual (a fraction), the largest over the units

  bool is_eliminated(const std::string& column) const;
};

// `folds` are those the estimate was made from. Throws InputError for names in `keep` that are not columns.
Essential essential(std::span<const Fold> folds, const Estimate& full, const EssentialOptions& options = {});

// The same for instrumental variables: a column is eliminated together with its instrument.
Essential essential(std::span<const Fold> folds, const InstrumentEstimate& full,
                    const EssentialOptions& options = {});

// The estimate with the values of the essential parameters, the others `eliminated`: residuals are those of
// the reduced model, standard deviations and covariance stay those of the full one.
Estimate reduced(std::span<const Fold> folds, const Estimate& full, const Essential& essential);

}  // namespace steelyard
