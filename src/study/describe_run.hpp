// Descriptions of runs: logs, simulations.
#pragma once

#include "study/describe_study.hpp"

namespace steelyard::inline STEELYARD_ABI {

// `number`: from 1, for runs without a label.
void describe_run(Fields& fields, StudyRun& run, std::size_t number);

}  // namespace steelyard
