// Why a reported robot differs from the fleet.
#pragma once

#include <vector>

#include "fleet/examine.hpp"
#include "steelyard/core/abi.hpp"

namespace steelyard::inline STEELYARD_ABI {

// The causes of robot r, best first, at least one. `rows`: independent ones; `robots`: that were compared.
std::vector<Cause> causes_of(const FleetInput& input, const Round& round, std::size_t r, double rows,
                             double level, double robots, const FleetRobotResult& result);

}  // namespace steelyard
