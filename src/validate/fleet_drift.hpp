// Lines through the estimates of each robot's logs.
#pragma once

#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/validate/fleet.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

// Drifts that are significant, robot by robot. `fleet`: values of the fleet, for shares.
std::vector<std::vector<Drift>> find_drifts(const FleetInput& input, const VectorXd& fleet,
                                            const FleetOptions& options);

}  // namespace STEELYARD_ABI
}  // namespace steelyard
