// Runs of folds (docs/fold.md): what a study can provide without samples, and the list of what it cannot.
//
// Least squares and all that follows from it (weights by row and block, essential parameters, intervals,
// cross-validation, feasible parameters, conditions) have the digits that the log would give. Needed from the
// log: raw residuals, bands, curves, whiteness, other cut-offs, weights of single rows, friction forms,
// gains, signs, springs. The doctor's findings are those that `steelyard fold` stored with the folds; files
// without them are a finding of their own. A study may mix runs of folds with logs.
#pragma once

#include "identify/estimators.hpp"
#include "steelyard/identify/folded.hpp"

namespace steelyard::inline STEELYARD_ABI {

// Throws InputError when robot, columns or preparation are not those of the study.
OpenRun open_folded_run(const Setup& setup, const StudyRun& run);
void check_folded_layouts(const Setup& setup, const Runs& runs);

// Whether the study's instruments are available: every fitted run is a log, or a file that has them.
bool has_instruments(const Runs& runs);
// Nothing is simulated: the columns of the instruments are in the files.
Fit with_folded_instruments(const Setup& setup, const std::vector<RunRows>& runs, Fit fit);

// What a study of folds cannot provide, for result.unavailable.
std::vector<std::string> unavailable_from_folds(const Setup& setup, const Runs& runs);

}  // namespace steelyard
