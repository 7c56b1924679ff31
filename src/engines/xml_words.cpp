#include "steelyard/engines/xml_words.hpp"

#include <fmt/format.h>

#include <cmath>

namespace steelyard::inline STEELYARD_ABI {

std::string xml_escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string xml_numbers(const Vector3& v) {
  return fmt::format("{} {} {}", v[0], v[1], v[2]);
}

Vector3 roll_pitch_yaw(const Matrix3& R) {
  const double yaw = std::atan2(R(1, 0), R(0, 0)), s = std::sin(yaw), c = std::cos(yaw);
  // The rest is Ry Rx = Rz⁻¹ R: its entries do not vanish together, whatever the pitch.
  const double pitch = std::atan2(-R(2, 0), c * R(0, 0) + s * R(1, 0));
  const double roll = std::atan2(s * R(0, 2) - c * R(1, 2), c * R(1, 1) - s * R(0, 1));
  return {roll, pitch, yaw};
}

}  // namespace steelyard
