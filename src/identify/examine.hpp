// The doctor's visit: first in every run of a study, and all of `steelyard check`.
#pragma once

#include "identify/state.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

// Adds the doctor's findings to the state's and to its runs', and says of every run whose motion it repeats.
// Runs that are folds bring the findings of their files. After open_runs.
void examine_runs(StudyState& state);

// The same for runs that are folded: signals as the pass over them saw them, the set-up on the first samples
// of long logs.
void examine_for_folds(StudyState& state);

}  // namespace STEELYARD_ABI
}  // namespace steelyard
