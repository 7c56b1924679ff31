// Logs that occur under several robots or days of a fleet.
#pragma once

#include <map>
#include <vector>

#include "fleet/compare_logs.hpp"
#include "steelyard/core/abi.hpp"

namespace steelyard::inline STEELYARD_ABI {

// For each log of which there is another with the same rows: which one. By the folds, so that a copy in other
// digits or units is one as well. Simulated logs are skipped: without noise, days are identical.
std::map<std::size_t, std::size_t> same_logs(const std::vector<GatheredLog>& logs);

}  // namespace steelyard
