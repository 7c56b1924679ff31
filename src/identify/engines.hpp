// Runs of a study in physics engines (validate/engine_check.hpp), with the feasible links of a result.
#pragma once

#include "steelyard/engines/engine.hpp"
#include "steelyard/identify/runs.hpp"

namespace steelyard::inline STEELYARD_ABI {

// Before anything is read: throws MachineError for an engine that is not installed, InputError for a result
// without feasible links.
void require_engines(const Job& job, const Result& model);

struct EngineRuns {
  std::vector<EngineCheck> checks;       // run after run
  std::vector<std::string> unavailable;  // runs that log no torque
};
EngineRuns check_engines(const Setup& setup, const Runs& runs, const Result& model);

}  // namespace steelyard
