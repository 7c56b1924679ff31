// Symbols of units and names of dimensions.
#pragma once

#include <array>
#include <numbers>
#include <string_view>

#include "steelyard/core/units.hpp"

namespace steelyard::inline STEELYARD_ABI {

namespace units {

inline constexpr double kDegree = std::numbers::pi / 180;
inline constexpr double kTurn = 2 * std::numbers::pi;

// scale · 10^decimal. Powers of ten are kept apart: mm^3 is 1e-9, not a product of three rounded 1e-3.
struct Symbol {
  std::string_view name;
  double scale;
  int decimal;
  Dimension dimension;
};

using namespace dimension;

inline constexpr std::array kSymbols{
    Symbol{"1", 1, 0, kNone},
    Symbol{"%", 1, -2, kNone},
    Symbol{"rad", 1, 0, kAngle},
    Symbol{"mrad", 1, -3, kAngle},
    Symbol{"deg", kDegree, 0, kAngle},
    Symbol{"rev", kTurn, 0, kAngle},
    Symbol{"rpm", kTurn / 60, 0, kAngularVelocity},
    Symbol{"m", 1, 0, kLength},
    Symbol{"km", 1, 3, kLength},
    Symbol{"cm", 1, -2, kLength},
    Symbol{"mm", 1, -3, kLength},
    Symbol{"um", 1, -6, kLength},
    Symbol{"s", 1, 0, kTime},
    Symbol{"ms", 1, -3, kTime},
    Symbol{"us", 1, -6, kTime},
    Symbol{"ns", 1, -9, kTime},
    Symbol{"min", 60, 0, kTime},
    Symbol{"h", 3600, 0, kTime},
    Symbol{"Hz", 1, 0, kFrequency},
    Symbol{"kHz", 1, 3, kFrequency},
    Symbol{"kg", 1, 0, kMass},
    Symbol{"g", 1, -3, kMass},
    Symbol{"N", 1, 0, kForce},
    Symbol{"mN", 1, -3, kForce},
    Symbol{"kN", 1, 3, kForce},
    Symbol{"Nm", 1, 0, kTorque},
    Symbol{"mNm", 1, -3, kTorque},
    Symbol{"kNm", 1, 3, kTorque},
    Symbol{"A", 1, 0, kCurrent},
    Symbol{"mA", 1, -3, kCurrent},
    Symbol{"V", 1, 0, kVoltage},
    Symbol{"mV", 1, -3, kVoltage},
};

struct Named {
  Dimension dimension;
  const char* text;
};

inline constexpr std::array kNames{
    Named{kNone, "dimensionless (1, %)"},
    Named{kAngle, "angle (rad)"},
    Named{kAngularVelocity, "angular velocity (rad/s)"},
    Named{kAngularAcceleration, "angular acceleration (rad/s^2)"},
    Named{kLength, "length (m)"},
    Named{kVelocity, "velocity (m/s)"},
    Named{kAcceleration, "acceleration (m/s^2)"},
    Named{kTime, "time (s)"},
    Named{kFrequency, "frequency (Hz)"},
    Named{kMass, "mass (kg)"},
    Named{kFirstMoment, "first moment (kg*m)"},
    Named{kInertia, "inertia (kg*m^2)"},
    Named{kForce, "force (N)"},
    Named{kTorque, "torque (N*m)"},
    Named{kCurrent, "current (A)"},
    Named{kVoltage, "voltage (V)"},
    Named{kTorqueConstant, "torque constant (N*m/A)"},
    Named{kForceConstant, "force constant (N/A)"},
    Named{kAngularStiffness, "angular stiffness (N*m/rad)"},
    Named{kStiffness, "stiffness (N/m)"},
    Named{kAngularViscosity, "angular viscous friction (N*m*s/rad)"},
    Named{kViscosity, "viscous friction (N*s/m)"},
};

}  // namespace units

}  // namespace steelyard
