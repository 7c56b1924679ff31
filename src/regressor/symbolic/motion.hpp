// Velocities of the links' frames and gravity in them, per unit velocity of each joint.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "regressor/symbolic/trigonometric.hpp"
#include "steelyard/regressor/symbolic.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace symbolic {

using Vector = std::array<Sum, 3>;

Vector plus(const Vector& a, const Vector& b);
Sum dot(const Frame& frame, const Vector& a, const Vector& b);
Vector cross(const Frame& frame, const Vector& a, const Vector& b);
Vector turned(const Matrix3& A, const Vector& v);  // A · v

// Named lengths and g; sliding joints' coordinates are in front.
struct Names {
  Frame frame;
  std::vector<SymbolicSymbol> symbols;
  int g = -1;

  int index_of(const std::string& name) const;
};
Names names_of(const Robot& robot);

// What moves with a link, in its frame: w and v of its origin per unit velocity of each joint, and gravity.
struct Motion {
  std::vector<Vector> w, v;
  Vector gravity;
};
std::vector<Motion> motions_of(const Names& names, const Robot& robot);

}  // namespace symbolic
}  // namespace steelyard
