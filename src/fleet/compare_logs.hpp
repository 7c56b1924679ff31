// From digests of logs to robots that are compared: logs that do not fit, or with findings of the doctor, are
// excluded and reported.
#pragma once

#include <vector>

#include "fleet/digest.hpp"
#include "steelyard/core/abi.hpp"
#include "steelyard/fleet/fleet.hpp"

namespace steelyard::inline STEELYARD_ABI {

// A log that could be folded.
struct GatheredLog {
  const FleetStudyLog* log = nullptr;
  LogDigest digest;
};

// Adds result, logs, problems and lost robots to the summary. `logs` by robot, then by time, not empty.
void compare_logs(const FleetShared& shared, const std::string& time_unit,
                  const std::vector<GatheredLog>& logs, int threads, FleetSummary& summary);

}  // namespace steelyard
