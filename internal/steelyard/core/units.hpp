// Units of user input: value in SI = value · factor.
//
// A unit is a product, quotient or power of symbols: "deg/s", "N*m", "N.m", "Nm", "kg*m^2", "rad/s^2",
// "1/min", "%".
// '*', '.' and '·' multiply; '/' divides and is read from the left ("m/s/s" = m/s^2); '^' takes an integer;
// brackets group. Symbols: 1 % rad mrad deg rev rpm m km cm mm um s ms us min h Hz kHz kg g N mN kN Nm mNm
// kNm A mA V mV.
//
// Angle counts as a dimension of its own, so that deg/s is not mistaken for Hz, nor N*m/rad for N*m. Where
// custom drops the radian (N*m*s for N*m*s/rad) compare with same_up_to_angle. Units with an offset (°C) do
// not fit this form.
#pragma once

#include <string>
#include <string_view>

#include "steelyard/core/error.hpp"

namespace steelyard::inline STEELYARD_ABI {

// Powers of the base dimensions.
struct Dimension {
  int length = 0;
  int mass = 0;
  int time = 0;
  int current = 0;
  int angle = 0;

  friend bool operator==(const Dimension&, const Dimension&) = default;
  // "torque (N*m)" for dimensions with a name, otherwise "kg*m/s^4".
  std::string to_string() const;
};

bool same_up_to_angle(Dimension a, const Dimension& b);

namespace dimension {
// Powers of m, kg, s, A, rad.
inline constexpr Dimension kNone{};
inline constexpr Dimension kAngle{0, 0, 0, 0, 1};
inline constexpr Dimension kAngularVelocity{0, 0, -1, 0, 1};
inline constexpr Dimension kAngularAcceleration{0, 0, -2, 0, 1};
inline constexpr Dimension kLength{1, 0, 0, 0, 0};
inline constexpr Dimension kVelocity{1, 0, -1, 0, 0};
inline constexpr Dimension kAcceleration{1, 0, -2, 0, 0};
inline constexpr Dimension kTime{0, 0, 1, 0, 0};
inline constexpr Dimension kFrequency{0, 0, -1, 0, 0};
inline constexpr Dimension kMass{0, 1, 0, 0, 0};
inline constexpr Dimension kFirstMoment{1, 1, 0, 0, 0};
inline constexpr Dimension kInertia{2, 1, 0, 0, 0};
inline constexpr Dimension kForce{1, 1, -2, 0, 0};
inline constexpr Dimension kTorque{2, 1, -2, 0, 0};
inline constexpr Dimension kCurrent{0, 0, 0, 1, 0};
inline constexpr Dimension kVoltage{2, 1, -3, -1, 0};
inline constexpr Dimension kTorqueConstant{2, 1, -2, -1, 0};    // N*m/A
inline constexpr Dimension kForceConstant{1, 1, -2, -1, 0};     // N/A
inline constexpr Dimension kAngularStiffness{2, 1, -2, 0, -1};  // N*m/rad
inline constexpr Dimension kStiffness{0, 1, -2, 0, 0};          // N/m
inline constexpr Dimension kAngularViscosity{2, 1, -1, 0, -1};  // N*m*s/rad
inline constexpr Dimension kViscosity{0, 1, -1, 0, 0};          // N*s/m
}  // namespace dimension

struct Unit {
  std::string text = "1";  // as the user wrote it
  double factor = 1;
  Dimension dimension;

  double to_si(double value) const { return value * factor; }
  double from_si(double value) const { return value / factor; }
};

// Throws InputError: unknown symbols with the nearest known one, bad syntax with the column.
Unit parse_unit(std::string_view text, const Place& place = {});

// The same, refusing other dimensions than the expected one.
Unit parse_unit(std::string_view text, const Dimension& expected, const Place& place = {});

}  // namespace steelyard
