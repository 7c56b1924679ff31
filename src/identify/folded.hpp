// Runs that are folds (docs/fold.md): what a study can say without samples, and the list of what it cannot.
//
// Least squares and all that follows from it (weights by row and block, essential parameters, intervals,
// cross-validation, feasible parameters, conditions) have the digits that the log would give. Needed from
// the log: raw residuals, bands, curves, whiteness, other cut-offs, weights of single rows, friction forms,
// gains, signs, springs. The doctor's findings are those that `steelyard fold` stored with the folds; files
// without them are a finding of their own. A study may mix runs of folds with logs.
#pragma once

#include "identify/state.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

// Some run that is fitted has no samples, or has.
bool fits_folds(const StudyState& state);
bool fits_logs(const StudyState& state);

// The cut-offs of the folds, where the study leaves them open.
void take_cutoffs_of_folds(StudyState& state);

// Throws InputError when robot, columns or preparation are not those of the study.
void open_folded_run(const StudyState& state, RunState& run);
void check_folded_layouts(const StudyState& state);

// Whether the study's instruments can be had: every fitted run is a log, or a file that has them.
bool has_instruments(const StudyState& state);
void estimate_with_folded_instruments(StudyState& state);

// The runs of a state for fold files, with instruments where they were estimated with.
std::vector<FoldedRun> folded_runs(const StudyState& state);

// Into result.unavailable.
void list_unavailable(StudyState& state);

}  // namespace STEELYARD_ABI
}  // namespace steelyard
