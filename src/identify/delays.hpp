// Delays of efforts for the result.
#pragma once

#include <vector>

#include "steelyard/identify/setup.hpp"
#include "steelyard/result/result.hpp"

namespace steelyard::inline STEELYARD_ABI {

std::vector<EffortDelaySummary> delay_summaries(const Setup& setup);

}  // namespace steelyard
