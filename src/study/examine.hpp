// The doctor's visit: first in every run of a study, and all of `steelyard check`.
#pragma once

#include "study/state.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

// Adds the doctor's findings to the state's, and says of every run whose motion it repeats. After open_runs.
void examine_runs(StudyState& state);

}  // namespace STEELYARD_ABI
}  // namespace steelyard
