// Lines through the estimates of each robot's logs, and steps between them.
#pragma once

#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/fleet/compare.hpp"

namespace steelyard::inline STEELYARD_ABI {

// Drifts that are significant, robot by robot. `fleet`, `scatter`: values of the fleet and how far healthy
// robots differ, for shares.
std::vector<std::vector<Drift>> detect_drifts(const FleetInput& input, const VectorXd& fleet,
                                              const VectorXd& scatter, const FleetOptions& options);

}  // namespace steelyard
