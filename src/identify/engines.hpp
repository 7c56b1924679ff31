// Runs of a study in physics engines (validate/engine_check.hpp), with the feasible links of a result.
#pragma once

#include "identify/state.hpp"
#include "steelyard/engines/engine.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

// Before anything is read: throws MachineError for an engine that is not there, InputError for a result
// without feasible links.
void require_engines(const StudyState& state, const Result& model);

// Adds to result.engines, run after run; runs that log no torque go to result.unavailable.
void check_engines(StudyState& state, const Result& model);

}  // namespace STEELYARD_ABI
}  // namespace steelyard
