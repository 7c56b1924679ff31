// Robots before they are compared: logs that do not fit, and the initial healthy set.
#pragma once

#include <optional>
#include <set>
#include <vector>

#include "fleet/scatter.hpp"
#include "steelyard/core/abi.hpp"
#include "steelyard/fleet/compare.hpp"

namespace steelyard::inline STEELYARD_ABI {

// Rows of a robot's own fit against the median of the fleet: a residual that is many times the fleet's, in
// N·m and as a share of the effort, or an effort that is far from any robot's. Nothing: it fits.
std::vector<std::optional<Cause>> detect_misfits(const FleetInput& input, const std::vector<OwnFit>& fits,
                                                 double level);

// Robots that are far from the medians of their own estimates, in median distances: at most fewer than half.
// Only a start: robots are included again when the comparison does not report them.
std::set<std::size_t> far_robots(const std::vector<OwnFit>& fits, const std::vector<std::size_t>& members);

}  // namespace steelyard
