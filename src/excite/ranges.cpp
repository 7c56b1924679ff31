#include "excite/ranges.hpp"

#include <cmath>

namespace steelyard::inline STEELYARD_ABI {

std::vector<JointRange> joint_ranges(const Robot& robot, const std::vector<Limits>& limits,
                                     double free_range) {
  std::vector<JointRange> ranges;
  for (const int j : coordinates(robot).joints) {
    const std::size_t at = static_cast<std::size_t>(j);
    const Limits& own = limits.empty() ? robot.joints[at].limits : limits[at];
    ranges.push_back({std::isfinite(own.lower) ? own.lower : -free_range,
                      std::isfinite(own.upper) ? own.upper : free_range});
  }
  return ranges;
}

}  // namespace steelyard
