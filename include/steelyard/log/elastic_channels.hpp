// Channels of robots with elastic joints, beside those of run.hpp.
#pragma once

#include <string_view>

#include "steelyard/core/abi.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {
namespace channel {

inline constexpr std::string_view kTheta =
    "theta";  // motors, seen at the joint: positions are the links' then
inline constexpr std::string_view kElasticTorque = "elastic_torque";  // what the springs carry

}  // namespace channel
}  // namespace STEELYARD_ABI
}  // namespace steelyard
