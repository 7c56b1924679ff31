// Step of a study: whether differentiation has biased the estimate (estimate/bias.hpp), by refits of all fit
// runs at half and double the cut-off, and with the measured noise once more on the positions.
#pragma once

#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/estimate/estimate.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

struct StudyState;

// Fills state.bias; nothing without filters, where there is nothing to refit. Needs state.intervals.
void check_bias(StudyState& state);

// block_influences() with a column for each of `blocks` blocks, also those that have no rows: trimmed ends at
// one cut-off are rows at another.
MatrixXd influences_by_block(const std::vector<Fold>& folds, const Estimate& estimate,
                             const std::vector<Fold>& priors, Index blocks, int threads);

}  // namespace STEELYARD_ABI
}  // namespace steelyard
