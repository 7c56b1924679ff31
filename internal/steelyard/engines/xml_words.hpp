// Words of XML files that describe robots.
#pragma once

#include <string>

#include "steelyard/robot/inertia.hpp"

namespace steelyard::inline STEELYARD_ABI {

std::string xml_escaped(const std::string& text);
std::string xml_numbers(const Vector3& v);  // shortest text that reads back as the same numbers

// Roll, pitch, yaw: R = Rz(yaw) Ry(pitch) Rx(roll). Exact to rounding at every pitch.
Vector3 roll_pitch_yaw(const Matrix3& rotation);

}  // namespace steelyard
