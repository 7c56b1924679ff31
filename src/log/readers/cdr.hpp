// Two ROS 2 messages in CDR, as the middleware puts them on the wire and bags keep them.
//
//   bytes 0-3   0, then 0 (big-endian) or 1 (little-endian), then options; positions count from byte 4
//   numbers     at multiples of their size
//   string      length with its final zero (32 bits), then the bytes
//   sequence    number of elements (32 bits), then the elements; nothing in between when there are none
//
//   sensor_msgs/msg/JointState        stamp {int32 s, uint32 ns}, frame_id, name[], position[], velocity[],
//   effort[] std_msgs/msg/Float64MultiArray    layout {dim[] {label, size, stride}, data_offset}, data[]
//
// Other encapsulations (parameter lists, XCDR 2) are refused.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "steelyard/core/abi.hpp"

namespace steelyard::inline STEELYARD_ABI {

using ByteSpan = std::span<const unsigned char>;

inline constexpr std::string_view kJointState = "sensor_msgs/msg/JointState";
inline constexpr std::string_view kMultiArray = "std_msgs/msg/Float64MultiArray";

// Doubles within a message.
struct CdrDoubles {
  const unsigned char* bytes = nullptr;
  std::size_t count = 0;
  bool big_endian = false;
  double at(std::size_t k) const;
};

// Views of the message's bytes.
struct JointStateView {
  std::int64_t stamp = 0;  // [ns]
  std::vector<std::string_view> names;
  CdrDoubles position;
  CdrDoubles velocity;
  CdrDoubles effort;
};

// Why a message cannot be read; empty when it can.
std::string parse_joint_state(ByteSpan message, JointStateView& view);
std::string parse_multi_array(ByteSpan message, CdrDoubles& data);

// A little-endian message; arrays may be empty.
std::string make_joint_state(std::int64_t stamp, std::span<const std::string> names,
                             std::span<const double> position, std::span<const double> velocity,
                             std::span<const double> effort);

}  // namespace steelyard
