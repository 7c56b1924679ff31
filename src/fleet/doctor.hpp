// What is wrong with a log of a fleet, before causes in the robot are considered.
//
// The doctor takes some ten times as long as folding a log, so it examines suspicious robots only: those that
// the comparison reports or with a log that does not fit; all logs when there are too few robots to compare,
// and one log of the fleet in any case, for what all of them have in common.
#pragma once

#include <optional>
#include <string>

#include "fleet/digest.hpp"
#include "steelyard/core/abi.hpp"
#include "steelyard/core/finding.hpp"

namespace steelyard::inline STEELYARD_ABI {

// The first error of the doctor about the log that the study does not waive: signals before the
// set-up. A joint that stands still comes next, which is an error only where the other robots move it; then,
// of a log that does not fit, warnings about how it was recorded.
std::optional<Finding> doctor_of_log(const FleetShared& shared, const FleetStudyLog& log, bool fits,
                                     int threads);

}  // namespace steelyard
