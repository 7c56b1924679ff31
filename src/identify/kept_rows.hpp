// Rows that rejection, decimation and trimming leave of each joint. A joint without rows has no part in a
// fit: its residual is zero over zero, and what only its rows show is not known.
#pragma once

#include <vector>

#include "identify/state.hpp"
#include "steelyard/core/finding.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

// Before anything is folded: counts the rows of the runs that are fitted, row by row of the plan, and stops
// reading as soon as every joint has enough. Runs that cannot be opened are left out (`opened` has no folds
// and no samples of them). Passes over a log only when rows are rejected by their velocity.
std::vector<Finding> missing_rows(const StudyState& state, std::vector<RunState>& opened);

// After fold_runs: into state.findings. Throws InputError when there is no row at all to estimate from.
void find_missing_rows(StudyState& state);

}  // namespace STEELYARD_ABI
}  // namespace steelyard
