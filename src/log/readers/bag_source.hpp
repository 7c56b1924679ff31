// The columns of one topic of a ROS 2 bag.
//
//   JointState           stamp, received, position[NAME], velocity[NAME], effort[NAME]
//   Float64MultiArray    received, data[1], data[2], …
//
// `stamp` is the message's own time, `received` the recorder's; both in seconds from the full second of the
// first message. A sample is a message that has all joints that are requested; messages that have none of
// them (of other publishers on the topic) are passed over.
#pragma once

#include <memory>
#include <string>

#include "table_source.hpp"

namespace steelyard::inline STEELYARD_ABI {

// Topic empty: the only one that can be read. Throws InputError that lists the topics.
std::unique_ptr<TableColumns> open_bag_columns(const std::string& path, const std::string& topic);

}  // namespace steelyard
