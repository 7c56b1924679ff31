#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "log/readers/bytes.hpp"
#include "log/readers/cdr.hpp"
#include "log/readers/mcap_format.hpp"
#include "log/readers/unpack.hpp"
#include "steelyard/core/atomic_file.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/core/suggest.hpp"
#include "steelyard/log/write_log.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr std::size_t kChunkBytes = std::size_t{1} << 20;
constexpr Index kBlock = 4096;
constexpr std::uint16_t kOnlyId = 1;    // of the schema and of the channel
constexpr double kLatest = 2147483647;  // [s]; a stamp's seconds have 32 bits
constexpr const char* kTopic = "/joint_states";

// Schema that decodes the messages without ROS.
constexpr const char* kDefinition =
    "std_msgs/Header header\nstring[] name\nfloat64[] position\nfloat64[] velocity\nfloat64[] effort\n"
    "================================================================================\n"
    "MSG: std_msgs/Header\nbuiltin_interfaces/Time stamp\nstring frame_id\n"
    "================================================================================\n"
    "MSG: builtin_interfaces/Time\nint32 sec\nuint32 nanosec\n";

void put_mcap_text(std::string& bytes, std::string_view text) {
  store_little(bytes, static_cast<std::uint32_t>(text.size()));
  bytes += text;
}

std::string make_record(McapOp op, const std::string& content) {
  std::string bytes(1, static_cast<char>(op));
  store_little(bytes, static_cast<std::uint64_t>(content.size()));
  return bytes + content;
}

std::string schema_record() {
  std::string content;
  store_little(content, kOnlyId);
  put_mcap_text(content, kJointState);
  put_mcap_text(content, "ros2msg");
  put_mcap_text(content, kDefinition);
  return make_record(kMcapSchema, content);
}

std::string channel_record() {
  std::string content;
  store_little(content, kOnlyId);
  store_little(content, kOnlyId);
  put_mcap_text(content, kTopic);
  put_mcap_text(content, "cdr");
  store_little(content, std::uint32_t{0});  // no metadata
  return make_record(kMcapChannel, content);
}

class McapWriter {
 public:
  McapWriter(const std::string& path, Packing packing) : file_(path), path_(path), packing_(packing) {
    put({reinterpret_cast<const char*>(kMcapMagic), sizeof kMcapMagic});
    std::string header;
    put_mcap_text(header, "ros2");
    put_mcap_text(header, "steelyard");
    put(make_record(kMcapHeader, header));
    chunk_ = schema_record() + channel_record();
  }

  void add(std::int64_t time, const std::string& message) {
    std::string content;
    store_little(content, kOnlyId);
    store_little(content, static_cast<std::uint32_t>(count_));
    for (int k = 0; k < 2; ++k) store_little(content, static_cast<std::uint64_t>(time));
    if (index_.empty()) chunk_begin_ = time;
    if (count_ == 0) first_ = time;
    store_little(index_, static_cast<std::uint64_t>(time));
    store_little(index_, static_cast<std::uint64_t>(chunk_.size()));
    chunk_ += make_record(kMcapMessage, content + message);
    last_ = time;
    ++count_;
    if (chunk_.size() >= kChunkBytes) flush();
  }

  void finish() {
    if (!index_.empty()) flush();
    std::string end;
    store_little(end, crc_);
    put(make_record(kMcapDataEnd, end));
    const std::uint64_t summary_at = written_;
    const std::string summary = schema_record() + channel_record() + chunk_index_ + statistics();
    std::string footer(1, static_cast<char>(kMcapFooter));
    store_little(footer, std::uint64_t{kMcapFooterLength});
    store_little(footer, summary_at);
    store_little(footer, std::uint64_t{0});  // no summary offsets
    store_little(footer, crc32(footer.data(), footer.size(), crc32(summary.data(), summary.size())));
    put(summary);
    put(footer);
    put({reinterpret_cast<const char*>(kMcapMagic), sizeof kMcapMagic});
    file_.commit();
  }

 private:
  void put(std::string_view bytes) {
    file_.write(bytes);
    crc_ = crc32(bytes.data(), bytes.size(), crc_);
    written_ += bytes.size();
  }

  const char* packing_name() const {
    return packing_ == Packing::lz4 ? "lz4" : packing_ == Packing::zstd ? "zstd" : "";
  }

  void flush() {
    const std::string packed = pack(packing_, chunk_, path_);
    std::string times, content;
    store_little(times, static_cast<std::uint64_t>(chunk_begin_));
    store_little(times, static_cast<std::uint64_t>(last_));
    content = times;
    store_little(content, static_cast<std::uint64_t>(chunk_.size()));
    store_little(content, crc32(chunk_.data(), chunk_.size()));
    put_mcap_text(content, packing_name());
    store_little(content, static_cast<std::uint64_t>(packed.size()));
    content += packed;
    const std::uint64_t chunk_at = written_;
    put(make_record(kMcapChunk, content));
    const std::uint64_t index_at = written_;
    std::string index;
    store_little(index, kOnlyId);
    put_mcap_text(index, index_);
    put(make_record(kMcapMessageIndex, index));

    std::string entry = times;
    store_little(entry, chunk_at);
    store_little(entry, index_at - chunk_at);
    store_little(entry, std::uint32_t{sizeof(std::uint16_t) + sizeof(std::uint64_t)});
    store_little(entry, kOnlyId);
    store_little(entry, index_at);
    store_little(entry, written_ - index_at);
    put_mcap_text(entry, packing_name());
    store_little(entry, static_cast<std::uint64_t>(packed.size()));
    store_little(entry, static_cast<std::uint64_t>(chunk_.size()));
    chunk_index_ += make_record(kMcapChunkIndex, entry);
    ++chunks_;
    chunk_.clear();
    index_.clear();
  }

  std::string statistics() const {
    std::string content;
    store_little(content, count_);
    store_little(content, std::uint16_t{1});  // schemas
    store_little(content, std::uint32_t{1});  // channels
    store_little(content, std::uint64_t{0});  // attachments and metadata
    store_little(content, chunks_);
    store_little(content, static_cast<std::uint64_t>(first_));
    store_little(content, static_cast<std::uint64_t>(last_));
    store_little(content, std::uint32_t{sizeof(std::uint16_t) + sizeof(std::uint64_t)});
    store_little(content, kOnlyId);
    store_little(content, count_);
    return make_record(kMcapStatistics, content);
  }

  AtomicFile file_;
  std::string path_;
  Packing packing_;
  std::uint64_t written_ = 0;
  std::uint32_t crc_ = 0;
  std::string chunk_;
  std::string index_;        // of the chunk: times and places of its messages
  std::string chunk_index_;  // records, for the summary
  std::int64_t chunk_begin_ = 0;
  std::int64_t first_ = 0;
  std::int64_t last_ = 0;
  std::uint64_t count_ = 0;
  std::uint32_t chunks_ = 0;
};

// Channels of the run in the places of JointState; −1: none.
struct Places {
  int position = -1;
  int velocity = -1;
  int effort = -1;
};

Places find_places(const std::vector<std::string>& channels, WrittenLog& written, const std::string& path) {
  Places places;
  for (std::size_t c = 0; c < channels.size(); ++c) {
    ChannelColumns columns;
    columns.channel = channels[c];
    if (channels[c] == channel::kPosition) {
      places.position = static_cast<int>(c);
      columns.columns = {"position[{name}]"};
    } else if (channels[c] == channel::kVelocity) {
      places.velocity = static_cast<int>(c);
      columns.columns = {"velocity[{name}]"};
    } else if (channels[c] == channel::kTorque) {
      places.effort = static_cast<int>(c);
      columns.columns = {"effort[{name}]"};
    } else {
      written.not_carried.push_back(channels[c]);
      continue;
    }
    written.file.channels.push_back(std::move(columns));
  }
  if (written.file.channels.empty())
    throw InputError({"the run has no channel that JointState can hold",
                      {path, 0, 0, {}},
                      "position, velocity or torque",
                      "write CSV or NumPy"});
  return places;
}

std::int64_t nanoseconds(double time, const std::string& path) {
  if (time >= 0 && time < kLatest) return std::llround(time * 1e9);
  throw InputError({fmt::format("a sample is stamped {} s", time),
                    {path, 0, 0, {}},
                    "from 0 to 2^31 s",
                    "write CSV or NumPy"});
}

std::vector<double> values_at(const SampleBlock& block, int channel, Index sample, const std::string& path) {
  std::vector<double> values;
  if (channel < 0) return values;
  for (Index j = 0; j < block.joints(); ++j) {
    values.push_back(block.row(channel, j)[sample]);
    if (!std::isfinite(values.back()))
      throw InputError(
          {fmt::format("{} of a sample is {}", quoted(block.channels()[static_cast<std::size_t>(channel)]),
                       values.back()),
           {path, 0, 0, {}},
           "finite numbers",
           {}});
  }
  return values;
}

}  // namespace

McapPacking parse_mcap_packing(const std::string& word) {
  const std::vector<std::string> known = {"none", "lz4", "zstd"};
  for (std::size_t k = 0; k < known.size(); ++k)
    if (word == known[k]) return static_cast<McapPacking>(k);
  throw InputError(unknown("packing", word, known));
}

WrittenLog write_mcap(SampleSource& source, const std::string& path, const std::vector<LogJoint>& joints,
                      McapPacking packing) {
  require(static_cast<Index>(joints.size()) == source.joints(), "as many joints are named as the run has");
  WrittenLog written;
  written.file.path = path;
  written.file.topic = kTopic;
  written.file.time = "stamp";
  const Places places = find_places(source.channels(), written, path);
  std::vector<std::string> names;
  for (const LogJoint& joint : joints) names.push_back(joint.name);
  const Packing kind = packing == McapPacking::lz4    ? Packing::lz4
                       : packing == McapPacking::zstd ? Packing::zstd
                                                      : Packing::none;
  McapWriter writer(path, kind);
  SampleBlock block;
  source.rewind();
  for (source.read(kBlock, block); block.size() > 0; source.read(kBlock, block)) {
    for (Index i = 0; i < block.size(); ++i) {
      const std::int64_t time = nanoseconds(block.time()[i], path);
      writer.add(time, make_joint_state(time, names, values_at(block, places.position, i, path),
                                        values_at(block, places.velocity, i, path),
                                        values_at(block, places.effort, i, path)));
    }
  }
  writer.finish();
  return written;
}

}  // namespace steelyard
