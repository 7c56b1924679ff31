// The messages of a ROS 2 bag: SQLite (.db3) and MCAP (.mcap).
//
// A bag is read once, from its beginning to its end; kept are the messages of one topic, or of all topics
// whose types can be read, at most kArrayLimit bytes. Others are counted. Recordings that were broken off
// (no end mark) are refused, and so are wrong checksums where a bag has them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cdr.hpp"
#include "steelyard/core/abi.hpp"
#include "steelyard/core/error.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct BagMessage {
  std::int64_t received = 0;  // [ns] by the recorder's clock
  std::size_t begin = 0;      // in Bag::bytes
  std::size_t size = 0;
};

struct BagTopic {
  std::string name;
  std::string type;      // "sensor_msgs/msg/JointState"
  std::string encoding;  // "cdr"
  std::uint64_t count = 0;
  std::vector<BagMessage> messages;  // empty when not kept
};

struct Bag {
  std::vector<BagTopic> topics;
  std::vector<unsigned char> bytes;
  ByteSpan message(const BagMessage& m) const { return ByteSpan(bytes).subspan(m.begin, m.size); }
};

enum class BagFormat { none, db3, mcap };

// By the ending of the name.
BagFormat bag_format(const std::string& path);

// Whether messages of a topic are kept: of the requested one or, without a request, of types that can be
// read.
bool keep_topic(const BagTopic& topic, const std::string& wanted);

// Adds a message to a topic that is kept. Throws InputError for a negative time, as 64 bits beyond 2262 read,
// and when the bag grows beyond the limit.
void keep_message(Bag& bag, std::size_t topic, std::int64_t received, ByteSpan message,
                  const std::string& path);

// `wanted`: topic, or empty. Throw InputError for damaged and foreign files, MachineError without the part.
Bag read_db3(const std::string& path, const std::string& wanted);
Bag read_mcap(const std::string& path, const std::string& wanted);

InputError damaged_bag(const std::string& path, const std::string& what);

}  // namespace steelyard
