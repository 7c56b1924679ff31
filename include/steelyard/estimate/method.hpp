// The estimators by name: one table for studies, results, Python and texts (docs/estimate.md).
#pragma once

#include "steelyard/core/abi.hpp"
#include "steelyard/estimate/estimate.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

struct EstimatorMethod {
  const char* name;
  Weighting weighting;
  bool single_rows;  // needs the samples: weights of single rows
  bool instruments;  // needs the samples: instruments from a simulated motion
};

inline constexpr EstimatorMethod kEstimatorMethods[] = {
    {"ols", Weighting::none, false, false},
    {"wls", Weighting::by_row, false, false},
    {"irls", Weighting::by_row_iterated, false, false},
    {"irls_blocks", Weighting::by_row_and_block, false, false},
    {"huber", Weighting::by_row_and_block, true, false},
    {"iv", Weighting::by_row_iterated, false, true},
};

// The line of the table with these properties; instruments count before single rows.
const EstimatorMethod& estimator_method(Weighting weighting, bool single_rows, bool instruments);
// Methods that fit folds alone, by name. Throws InputError for others.
Weighting parse_fold_method(const std::string& name);

}  // namespace STEELYARD_ABI
}  // namespace steelyard
