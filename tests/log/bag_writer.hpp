// Bags made by the tests themselves: messages in CDR of both byte orders, in SQLite and in MCAP. Written from
// the formats' descriptions, apart from the library's own code.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>
#ifdef STEELYARD_WITH_SQLITE3
#include <sqlite3.h>
#endif
#ifdef STEELYARD_WITH_LZ4
#include <lz4frame.h>
#endif
#ifdef STEELYARD_WITH_ZSTD
#include <zstd.h>
#endif

namespace steelyard {

enum class Order { little, big };

class CdrText {
 public:
  explicit CdrText(Order order)
      : order_(order), bytes_{'\0', order == Order::little ? '\1' : '\0', '\0', '\0'} {}

  template <class Number>
  CdrText& put(Number value) {
    while ((bytes_.size() - 4) % sizeof value != 0) bytes_.push_back('\0');
    char raw[sizeof value];
    std::memcpy(raw, &value, sizeof value);
    if (order_ == Order::big) std::reverse(raw, raw + sizeof value);
    bytes_.insert(bytes_.end(), raw, raw + sizeof value);
    return *this;
  }
  CdrText& put_text(const std::string& text) {
    put(static_cast<std::uint32_t>(text.size() + 1));
    bytes_.insert(bytes_.end(), text.begin(), text.end());
    bytes_.push_back('\0');
    return *this;
  }
  CdrText& put_list(const std::vector<double>& values) {
    put(static_cast<std::uint32_t>(values.size()));
    for (const double value : values) put(value);
    return *this;
  }
  std::string take() const { return {bytes_.begin(), bytes_.end()}; }

 private:
  Order order_;
  std::vector<char> bytes_;
};

inline std::string joint_state(Order order, std::int64_t stamp, const std::vector<std::string>& names,
                               const std::vector<double>& position, const std::vector<double>& velocity,
                               const std::vector<double>& effort) {
  CdrText cdr(order);
  cdr.put(static_cast<std::int32_t>(stamp / 1000000000)).put(static_cast<std::uint32_t>(stamp % 1000000000));
  cdr.put_text("base_link").put(static_cast<std::uint32_t>(names.size()));
  for (const std::string& name : names) cdr.put_text(name);
  return cdr.put_list(position).put_list(velocity).put_list(effort).take();
}

inline std::string multi_array(Order order, const std::vector<double>& data) {
  CdrText cdr(order);
  cdr.put(std::uint32_t{1}).put_text("joints").put(static_cast<std::uint32_t>(data.size()));
  return cdr.put(static_cast<std::uint32_t>(data.size())).put(std::uint32_t{0}).put_list(data).take();
}

struct TestMessage {
  std::string topic;
  std::string type;
  std::int64_t time = 0;
  std::string data;
  std::string encoding = "cdr";
};

inline const std::string kJointStateType = "sensor_msgs/msg/JointState";
inline const std::string kMultiArrayType = "std_msgs/msg/Float64MultiArray";

inline std::vector<TestMessage> topics_of(const std::vector<TestMessage>& messages) {
  std::vector<TestMessage> topics;
  for (const TestMessage& message : messages) {
    const auto same = [&](const TestMessage& other) { return other.topic == message.topic; };
    if (std::none_of(topics.begin(), topics.end(), same)) topics.push_back(message);
  }
  return topics;
}

#ifdef STEELYARD_WITH_SQLITE3
inline bool write_db3(const std::string& path, const std::vector<TestMessage>& messages) {
  sqlite3* base = nullptr;
  bool good = sqlite3_open(path.c_str(), &base) == SQLITE_OK;
  const auto run = [&](const char* text) {
    good = good && sqlite3_exec(base, text, nullptr, nullptr, nullptr) == SQLITE_OK;
  };
  run("PRAGMA synchronous=OFF");  // a test's file need not survive the machine
  run("CREATE TABLE topics(id INTEGER PRIMARY KEY, name TEXT NOT NULL, type TEXT NOT NULL, "
      "serialization_format TEXT NOT NULL, offered_qos_profiles TEXT NOT NULL)");
  run("CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id INTEGER NOT NULL, timestamp INTEGER NOT NULL, "
      "data BLOB NOT NULL)");
  run("CREATE INDEX timestamp_idx ON messages (timestamp ASC)");
  run("BEGIN");
  const std::vector<TestMessage> topics = topics_of(messages);
  sqlite3_stmt* insert = nullptr;
  sqlite3_prepare_v2(base, "INSERT INTO topics VALUES(?1, ?2, ?3, ?4, '')", -1, &insert, nullptr);
  for (std::size_t t = 0; t < topics.size(); ++t) {
    sqlite3_bind_int64(insert, 1, static_cast<std::int64_t>(t) + 1);
    sqlite3_bind_text(insert, 2, topics[t].topic.c_str(), -1, SQLITE_STATIC);
    sqlite3_bind_text(insert, 3, topics[t].type.c_str(), -1, SQLITE_STATIC);
    sqlite3_bind_text(insert, 4, topics[t].encoding.c_str(), -1, SQLITE_STATIC);
    good = good && sqlite3_step(insert) == SQLITE_DONE;
    sqlite3_reset(insert);
  }
  sqlite3_finalize(insert);
  sqlite3_prepare_v2(base, "INSERT INTO messages(topic_id, timestamp, data) VALUES(?1, ?2, ?3)", -1, &insert,
                     nullptr);
  for (const TestMessage& message : messages) {
    const auto same = [&](const TestMessage& topic) { return topic.topic == message.topic; };
    sqlite3_bind_int64(insert, 1, std::find_if(topics.begin(), topics.end(), same) - topics.begin() + 1);
    sqlite3_bind_int64(insert, 2, message.time);
    sqlite3_bind_blob(insert, 3, message.data.data(), static_cast<int>(message.data.size()), SQLITE_STATIC);
    good = good && sqlite3_step(insert) == SQLITE_DONE;
    sqlite3_reset(insert);
  }
  sqlite3_finalize(insert);
  run("COMMIT");
  sqlite3_close(base);
  return good;
}
#endif

// Bit by bit, as the definition of CRC-32 has it.
inline std::uint32_t plain_crc(const std::string& bytes) {
  std::uint32_t crc = 0xFFFFFFFF;
  for (const char c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = crc & 1 ? crc >> 1 ^ 0xEDB88320 : crc >> 1;
  }
  return ~crc;
}

class McapText {
 public:
  template <class Number>
  McapText& put(Number value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }
  McapText& put_text(const std::string& text) {
    put(static_cast<std::uint32_t>(text.size()));
    bytes += text;
    return *this;
  }
  McapText& put_record(std::uint8_t op, const std::string& content) {
    put(op).put(static_cast<std::uint64_t>(content.size()));
    bytes += content;
    return *this;
  }
  std::string bytes;
};

// Chunks of `chunk` messages each, 0: no chunks. `packing` as the format names it.
inline std::string mcap_bytes(const std::vector<TestMessage>& messages, std::size_t chunk,
                              const std::string& packing) {
  const std::string magic = "\x89MCAP0\r\n";
  McapText file;
  file.bytes = magic;
  file.put_record(1, McapText().put_text("ros2").put_text("test").bytes);
  const std::vector<TestMessage> topics = topics_of(messages);
  McapText part;
  for (std::size_t t = 0; t < topics.size(); ++t) {
    const auto id = static_cast<std::uint16_t>(t + 3);
    part.put_record(3,
                    McapText().put(id).put_text(topics[t].type).put_text("ros2msg").put_text("# text").bytes);
    part.put_record(4, McapText()
                           .put(static_cast<std::uint16_t>(id + 10))
                           .put(id)
                           .put_text(topics[t].topic)
                           .put_text(topics[t].encoding)
                           .put_text("")
                           .bytes);
  }
  const auto flush = [&] {
    if (chunk == 0) {
      file.bytes += part.bytes;
    } else {
      std::string packed = part.bytes;
#ifdef STEELYARD_WITH_LZ4
      if (packing == "lz4") {
        packed.resize(LZ4F_compressFrameBound(part.bytes.size(), nullptr));
        packed.resize(
            LZ4F_compressFrame(packed.data(), packed.size(), part.bytes.data(), part.bytes.size(), nullptr));
      }
#endif
#ifdef STEELYARD_WITH_ZSTD
      if (packing == "zstd") {
        packed.resize(ZSTD_compressBound(part.bytes.size()));
        packed.resize(ZSTD_compress(packed.data(), packed.size(), part.bytes.data(), part.bytes.size(), 3));
      }
#endif
      McapText content;
      content.put(std::uint64_t{0}).put(std::uint64_t{0}).put(static_cast<std::uint64_t>(part.bytes.size()));
      content.put(plain_crc(part.bytes)).put_text(packing).put(static_cast<std::uint64_t>(packed.size()));
      file.put_record(6, content.bytes + packed);
      file.put_record(7, McapText().put(std::uint16_t{13}).put_text("").bytes);  // an index that nobody needs
    }
    part.bytes.clear();
  };
  for (std::size_t m = 0; m < messages.size(); ++m) {
    const auto same = [&](const TestMessage& topic) { return topic.topic == messages[m].topic; };
    const auto topic = std::find_if(topics.begin(), topics.end(), same) - topics.begin();
    McapText content;
    content.put(static_cast<std::uint16_t>(topic + 13)).put(static_cast<std::uint32_t>(m));
    content.put(messages[m].time).put(messages[m].time);
    part.put_record(5, content.bytes + messages[m].data);
    if (chunk > 0 && (m + 1) % chunk == 0) flush();
  }
  if (!part.bytes.empty()) flush();
  file.put_record(9, McapText().put(std::uint64_t{0}).put_text("an attachment").bytes);
  file.put_record(15, McapText().put(plain_crc(file.bytes)).bytes);
  const std::uint64_t summary = file.bytes.size();
  file.put_record(11,
                  McapText().put(static_cast<std::uint64_t>(messages.size())).put(std::uint16_t{1}).bytes);
  McapText footer;
  footer.put(std::uint8_t{2}).put(std::uint64_t{20}).put(summary).put(std::uint64_t{0});
  footer.put(plain_crc(file.bytes.substr(summary) + footer.bytes));
  return file.bytes + footer.bytes + magic;
}

}  // namespace steelyard
