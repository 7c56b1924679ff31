// Estimators that need more than the folds of the first pass, and the reduction to essential parameters.
#pragma once

#include "identify/state.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

// Works on the estimate by joint that the state has; replaces it, and fills result.estimator.
void refine_estimate(StudyState& state);

// Instruments from simulations with the current parameters until the values stay (method iv). Every
// iteration is a pass over the fit runs; one more reads the motion.
void estimate_with_instruments(StudyState& state);

// Weights of single rows until the values stay (method huber). Every iteration is a pass over the fit runs.
void estimate_with_row_weights(StudyState& state);

// Eliminates parameters one by one.
void reduce_to_essential(StudyState& state);

// The folds of a pass over a fit run, block by block, numbered from `first` on; returns the next number.
Index append_blocks(const FoldPass& pass, Index first, std::vector<Fold>& folds);
Index append_blocks(const std::vector<FoldBlock>& blocks, Index first, std::vector<Fold>& folds);

// Strength and bias into the summary, and findings about them.
void report_instruments(const InstrumentEstimate& found, InstrumentSummary& summary,
                        std::vector<Finding>& findings);

// Largest |a − b| / σ over columns with a deviation.
double change_in_sigma(const Estimate& before, const Estimate& after);

}  // namespace STEELYARD_ABI
}  // namespace steelyard
