#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>

#include "bag_file.hpp"
#include "bytes.hpp"
#include "mcap_format.hpp"
#include "steelyard/core/suggest.hpp"
#include "unpack.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr std::uint64_t kLargestRecord = std::uint64_t{1}
                                         << 30;  // [bytes] of chunks and of what is looked at
constexpr std::size_t kSkipPiece = std::size_t{1} << 20;

// Fields of a record; what does not fit is an error.
class Fields {
 public:
  Fields(ByteSpan bytes, const std::string& path) : bytes_(bytes), path_(path) {}

  template <class Number>
  Number number() {
    return load_little<Number>(take(sizeof(Number)).data());
  }
  std::string text() {
    const ByteSpan bytes = take(number<std::uint32_t>());
    return {bytes.begin(), bytes.end()};
  }
  ByteSpan take(std::uint64_t count) {
    if (count > bytes_.size())
      throw damaged_bag(path_, "the bag is damaged: a record is shorter than its fields");
    const ByteSpan taken = bytes_.first(static_cast<std::size_t>(count));
    bytes_ = bytes_.subspan(static_cast<std::size_t>(count));
    return taken;
  }
  ByteSpan rest() const { return bytes_; }

 private:
  ByteSpan bytes_;
  const std::string& path_;
};

class McapReader {
 public:
  McapReader(const std::string& path, const std::string& wanted)
      : file_(path), path_(path), wanted_(wanted) {}

  Bag read() {
    check_ends();
    std::uint64_t at = sizeof kMcapMagic;
    std::uint32_t crc = crc32(kMcapMagic, sizeof kMcapMagic);
    std::vector<unsigned char> record;
    const std::uint64_t end = file_.size() - sizeof kMcapMagic;
    for (;;) {
      if (end - at < kMcapRecordHead) throw cut_off(at);
      unsigned char head[kMcapRecordHead];
      file_.read(at, head, sizeof head);
      const unsigned op = head[0];
      const auto length = load_little<std::uint64_t>(head + 1);
      if (length > end - at - kMcapRecordHead) throw cut_off(at);
      if (op == kMcapFooter) break;
      const bool known = op == kMcapSchema || op == kMcapChannel || op == kMcapMessage || op == kMcapChunk ||
                         op == kMcapDataEnd;
      if (op == kMcapDataEnd) {
        record.resize(static_cast<std::size_t>(std::min<std::uint64_t>(length, 4)));
        file_.read(at + kMcapRecordHead, record.data(), record.size());
        const auto expected = Fields(record, path_).number<std::uint32_t>();
        if (expected != 0 && expected != crc)
          throw damaged_bag(path_, "the bag is damaged: its checksum is wrong");
        check_summary(at + kMcapRecordHead + length, end);
        break;
      }
      crc = crc32(head, sizeof head, crc);
      crc = known ? take_record(op, at, length, record, crc) : skip(at + kMcapRecordHead, length, crc);
      at += kMcapRecordHead + length;
    }
    return std::move(bag_);
  }

 private:
  struct Channel {
    std::size_t topic = 0;
    std::uint64_t messages = 0;
  };

  InputError cut_off(std::uint64_t at) const {
    return damaged_bag(path_,
                       fmt::format("the bag is truncated or damaged at byte {} of {}", at, file_.size()));
  }

  void check_ends() const {
    unsigned char ends[2][sizeof kMcapMagic] = {};
    if (file_.size() > sizeof kMcapMagic) file_.read(0, ends[0], sizeof kMcapMagic);
    if (std::memcmp(ends[0], kMcapMagic, sizeof kMcapMagic) != 0)
      throw damaged_bag(path_, "this is not an MCAP file");
    if (file_.size() < 2 * sizeof kMcapMagic) throw cut_off(file_.size());
    file_.read(file_.size() - sizeof kMcapMagic, ends[1], sizeof kMcapMagic);
    if (std::memcmp(ends[1], kMcapMagic, sizeof kMcapMagic) == 0) return;
    throw InputError({"the bag is truncated: its end marker is missing",
                      {path_, 0, 0, {}},
                      {},
                      "copy it again; `mcap recover` repairs interrupted recordings"});
  }

  std::uint32_t skip(std::uint64_t at, std::uint64_t length, std::uint32_t crc) const {
    std::vector<unsigned char> piece(static_cast<std::size_t>(std::min<std::uint64_t>(length, kSkipPiece)));
    while (length > 0) {
      const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(length, piece.size()));
      file_.read(at, piece.data(), count);
      crc = crc32(piece.data(), count, crc);
      at += count;
      length -= count;
    }
    return crc;
  }

  std::uint32_t take_record(unsigned op, std::uint64_t at, std::uint64_t length,
                            std::vector<unsigned char>& record, std::uint32_t crc) {
    if (length > kLargestRecord) {
      throw InputError({fmt::format("a record at byte {} has {} bytes", at, length),
                        {path_, 0, 0, {}},
                        fmt::format("at most {} GiB", kLargestRecord >> 30),
                        "record with smaller chunks, or convert the bag"});
    }
    record.resize(static_cast<std::size_t>(length));
    file_.read(at + kMcapRecordHead, record.data(), record.size());
    if (op == kMcapChunk) {
      read_chunk(record);
    } else {
      read_record(op, record);
    }
    return crc32(record.data(), record.size(), crc);
  }

  void read_chunk(ByteSpan record) {
    Fields fields(record, path_);
    fields.take(2 * sizeof(std::uint64_t));  // first and last time
    const auto size = fields.number<std::uint64_t>();
    const auto crc = fields.number<std::uint32_t>();
    const Packing packing = packing_of(fields.text());
    const ByteSpan packed = fields.take(fields.number<std::uint64_t>());
    if (size > kLargestRecord)
      throw damaged_bag(path_, fmt::format("the bag is damaged: a chunk of {} bytes", size));
    const std::vector<unsigned char> bytes = unpack(packing, packed, size, path_);
    if (crc != 0 && crc != crc32(bytes.data(), bytes.size()))
      throw damaged_bag(path_, "the bag is damaged: the checksum of a chunk is wrong");
    for (Fields records(bytes, path_); !records.rest().empty();) {
      const unsigned op = records.number<std::uint8_t>();
      read_record(op, records.take(records.number<std::uint64_t>()));
    }
  }

  Packing packing_of(const std::string& name) const {
    if (name.empty()) return Packing::none;
    if (name == "lz4") return Packing::lz4;
    if (name == "zstd") return Packing::zstd;
    throw InputError({fmt::format("the bag is compressed with {}", quoted(name)),
                      {path_, 0, 0, {}},
                      "no compression, lz4 or zstd",
                      "convert it with `mcap compress`"});
  }

  void read_record(unsigned op, ByteSpan record) {
    Fields fields(record, path_);
    if (op == kMcapSchema) {
      const auto id = fields.number<std::uint16_t>();
      schemas_[id] = fields.text();
    } else if (op == kMcapChannel) {
      const auto id = fields.number<std::uint16_t>();
      const auto schema = schemas_.find(fields.number<std::uint16_t>());
      const std::string topic = fields.text(), encoding = fields.text();
      add_channel(id, {topic, schema == schemas_.end() ? std::string() : schema->second, encoding, 0, {}});
    } else if (op == kMcapMessage) {
      const auto channel = channels_.find(fields.number<std::uint16_t>());
      fields.take(sizeof(std::uint32_t));
      const auto received = static_cast<std::int64_t>(fields.number<std::uint64_t>());
      fields.take(sizeof(std::uint64_t));
      if (channel == channels_.end())
        throw damaged_bag(path_, "the bag is damaged: a message belongs to no channel");
      BagTopic& topic = bag_.topics[channel->second.topic];
      ++messages_;
      if (keep_topic(topic, wanted_)) {
        keep_message(bag_, channel->second.topic, received, fields.rest(), path_);
      } else {
        ++topic.count;
      }
    }
  }

  // Every publisher has a channel of its own; those of one topic and type are read together.
  void add_channel(std::uint16_t id, BagTopic topic) {
    const auto same = std::find_if(bag_.topics.begin(), bag_.topics.end(), [&](const BagTopic& other) {
      return other.name == topic.name && other.type == topic.type && other.encoding == topic.encoding;
    });
    channels_[id].topic = static_cast<std::size_t>(same - bag_.topics.begin());
    if (same == bag_.topics.end()) bag_.topics.push_back(std::move(topic));
  }

  // Between the end of the data and the end of the file: its checksum, and the number of messages.
  void check_summary(std::uint64_t begin, std::uint64_t end) const {
    std::uint64_t at = begin;
    while (end - at >= kMcapRecordHead) {
      unsigned char head[kMcapRecordHead];
      file_.read(at, head, sizeof head);
      const auto length = load_little<std::uint64_t>(head + 1);
      if (length > end - at - kMcapRecordHead) throw cut_off(at);
      if (head[0] == kMcapFooter) return check_footer(at, length);
      if (head[0] == kMcapStatistics && length >= sizeof(std::uint64_t)) {
        unsigned char count[sizeof(std::uint64_t)];
        file_.read(at + kMcapRecordHead, count, sizeof count);
        if (load_little<std::uint64_t>(count) != messages_) {
          throw damaged_bag(path_, fmt::format("the bag is damaged: it has {} messages of {}", messages_,
                                               load_little<std::uint64_t>(count)));
        }
      }
      at += kMcapRecordHead + length;
    }
    throw cut_off(at);
  }

  void check_footer(std::uint64_t at, std::uint64_t length) const {
    std::vector<unsigned char> footer(kMcapRecordHead + kMcapFooterLength);
    if (length != kMcapFooterLength) throw cut_off(at);
    file_.read(at, footer.data(), footer.size());
    const auto begin = load_little<std::uint64_t>(footer.data() + kMcapRecordHead);
    const auto expected = load_little<std::uint32_t>(footer.data() + kMcapRecordHead + 16);
    if (expected == 0) return;
    const std::uint64_t from = begin == 0 ? at : begin;
    if (from > at || crc32(footer.data(), footer.size() - 4, skip(from, at - from, 0)) != expected)
      throw damaged_bag(path_, "the bag is damaged: the checksum of its summary is wrong");
  }

  InputBytes file_;
  std::string path_;
  std::string wanted_;
  Bag bag_;
  std::map<std::uint16_t, std::string> schemas_;
  std::map<std::uint16_t, Channel> channels_;
  std::uint64_t messages_ = 0;
};

}  // namespace

Bag read_mcap(const std::string& path, const std::string& wanted) {
  return McapReader(path, wanted).read();
}

}  // namespace steelyard
