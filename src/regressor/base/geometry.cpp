#include "regressor/base/geometry.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "steelyard/core/random.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace base {
namespace {

constexpr double kSnap = 1e-4;  // rad; closer to a multiple of π/2 than this: taken for it in expressions
constexpr double kExactAngle = 1e-14;  // rad; to_pose takes these for exact by itself, nothing to report

// Calls visit(step, joint) for every fixed step that the dynamics can see; the tool counts as joint size().
template <typename SomeRobot, typename Visit>
void for_each_step(SomeRobot& robot, Visit visit) {
  for (int j = 0; j < robot.size(); ++j) {
    for (auto& step : robot.joints[j].before) visit(step, j);
    for (auto& step : robot.joints[j].after) visit(step, j);
  }
  for (auto& step : robot.tool) visit(step, robot.size());
}

}  // namespace

SymbolValues Geometry::values() const {
  SymbolValues result;
  for (const Symbol& symbol : symbols) result[symbol.name] = symbol.value;
  return result;
}

Geometry read_geometry(const Robot& robot) {
  Geometry geometry;
  geometry.snapped_robot = robot;
  std::set<std::string> seen;
  for_each_step(geometry.snapped_robot, [&](Step& step, int joint) {
    if (is_turn(step.motion)) {
      const double quarter = std::round(step.value / (M_PI / 2));
      const double distance = std::abs(step.value - quarter * (M_PI / 2));
      if (distance <= kSnap) {
        if (distance > kExactAngle)
          geometry.snapped.push_back({step.name, step.value, static_cast<int>(quarter)});
        step.value = quarter * (M_PI / 2);
        return;
      }
    } else if (step.value == 0) {
      return;
    }
    if (!step.name.empty() && seen.insert(step.name).second)
      geometry.symbols.push_back({step.name, is_turn(step.motion), step.value, joint});
  });
  return geometry;
}

SymbolValues random_values(const Geometry& geometry, std::uint64_t seed, std::uint64_t index) {
  double typical = 0;
  for (const Symbol& symbol : geometry.symbols)
    if (!symbol.is_angle) typical = std::max(typical, std::abs(symbol.value));
  Random random(seed, "geometry of base parameters", index);
  SymbolValues values;
  for (const Symbol& symbol : geometry.symbols) {
    if (symbol.is_angle) {
      values[symbol.name] = random.uniform(-M_PI, M_PI);
    } else {
      const double size = typical * std::exp(random.uniform(-std::log(3.0), std::log(3.0)));
      values[symbol.name] = random.uniform() < 0.5 ? -size : size;
    }
  }
  return values;
}

Robot with_values(const Robot& robot, const SymbolValues& values) {
  Robot result = robot;
  for_each_step(result, [&](Step& step, int) {
    if (const auto found = values.find(step.name); found != values.end()) step.value = found->second;
  });
  return result;
}

}  // namespace base
}  // namespace steelyard
