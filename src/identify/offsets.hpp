// Offsets of an individual robot on an individual day: refitted on a run that the model has not seen.
#pragma once

#include <vector>

#include "steelyard/identify/folded.hpp"
#include "steelyard/result/result.hpp"

namespace steelyard::inline STEELYARD_ABI {

// Puts the refitted offsets and the residual with them to the run's validation; nothing for runs that were fitted,
// without signs, or of models without offsets. `model`: standard deviations of the model's offsets. Returns findings
// about joints where the difference matters.
std::vector<Finding> refit_offsets(const Setup& setup, const RunRows& run, const Estimate& estimate,
                                   const std::vector<BaseValue>& model, RunValidation& validation);

}  // namespace steelyard
