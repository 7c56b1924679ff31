// The named lengths and angles of a robot, and the same robot with other values for them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "regressor/base/polynomial.hpp"
#include "steelyard/regressor/base.hpp"
#include "steelyard/robot/robot.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace base {

struct Symbol {
  std::string name;
  bool is_angle = false;
  double value = 0;
  int joint = 0;  // the joint whose geometry it belongs to; size() for the tool
};

struct Geometry {
  std::vector<Symbol> symbols;  // lengths ≠ 0 and angles that are no multiple of π/2, in the robot's order
  std::vector<SnappedAngle> snapped;
  Robot snapped_robot;  // the robot with those angles put on their multiple of π/2

  SymbolValues values() const;
};

Geometry read_geometry(const Robot& robot);

// Random values for all symbols: lengths of both signs over a factor of nine around the typical length of the
// robot, angles all around. Number `index` of the series with this seed.
SymbolValues random_values(const Geometry& geometry, std::uint64_t seed, std::uint64_t index);

Robot with_values(const Robot& robot, const SymbolValues& values);

}  // namespace base
}  // namespace steelyard
