// Step of a study: whether differentiation has biased the estimate (estimate/bias.hpp), by refits of all fit
// runs at half and double the cut-off, and with the measured noise once more on the positions.
#pragma once

#include <optional>
#include <vector>

#include "identify/estimators.hpp"
#include "steelyard/estimate/bias.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct BiasCheck {
  std::optional<DifferentiationBias> bias;  // none without filters, where there is nothing to refit
  int passes = 0;                           // over every fit run
};
// `sigma` of the fit's full estimate.
BiasCheck check_bias(const Setup& setup, const Runs& opened, const std::vector<RunRows>& runs, const Fit& fit,
                     const VectorXd& sigma);

// block_influences() with a column for each of `blocks` blocks, also those that have no rows: trimmed ends at
// one cut-off are rows at another.
MatrixXd influences_by_block(const std::vector<Fold>& folds, const Estimate& estimate,
                             const std::vector<Fold>& priors, Index blocks, int threads);

}  // namespace steelyard
