#include "cdr.hpp"

#include <fmt/format.h>

#include "bytes.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr std::size_t kEncapsulation = 4;
constexpr std::int64_t kNanoseconds = 1000000000;

// Once something does not fit, everything read is zero and good() false.
class CdrReader {
 public:
  explicit CdrReader(ByteSpan bytes) : bytes_(bytes) {
    if (bytes.size() < kEncapsulation) {
      problem_ = "it is too short";
    } else if (bytes[0] != 0 || bytes[1] > 1) {
      problem_ = fmt::format("its encapsulation is {:#04x} {:#04x}, not plain CDR", bytes[0], bytes[1]);
    } else {
      big_endian_ = bytes[1] == 0;
      at_ = kEncapsulation;
    }
  }

  const std::string& problem() const { return problem_; }
  bool good() const { return problem_.empty(); }

  template <class Number>
  Number number() {
    if (!align(sizeof(Number)) || !need(sizeof(Number))) return 0;
    at_ += sizeof(Number);
    const unsigned char* from = bytes_.data() + at_ - sizeof(Number);
    return big_endian_ ? load_big<Number>(from) : load_little<Number>(from);
  }

  std::string_view text() {
    const std::size_t length = number<std::uint32_t>();
    if (!need(length)) return {};
    at_ += length;
    const char* from = reinterpret_cast<const char*>(bytes_.data()) + at_ - length;
    return {from, length > 0 && from[length - 1] == '\0' ? length - 1 : length};
  }

  // Number of elements of at least `size` bytes each.
  std::size_t count(std::size_t size) {
    const std::size_t elements = number<std::uint32_t>();
    if (elements > 0 && elements > (bytes_.size() - at_) / size) fail();
    return good() ? elements : 0;
  }

  CdrDoubles doubles() {
    const std::size_t elements = count(sizeof(double));
    if (elements == 0 || !align(sizeof(double)) || !need(elements * sizeof(double))) return {};
    const CdrDoubles result{bytes_.data() + at_, elements, big_endian_};
    at_ += elements * sizeof(double);
    return result;
  }

 private:
  void fail() {
    if (good()) problem_ = fmt::format("it is truncated or damaged at byte {} of {}", at_, bytes_.size());
  }
  bool need(std::size_t count) {
    if (good() && count > bytes_.size() - at_) fail();
    return good();
  }
  bool align(std::size_t size) {
    const std::size_t gap = (size - (at_ - kEncapsulation) % size) % size;
    if (!good() || !need(gap)) return false;
    at_ += gap;
    return true;
  }

  ByteSpan bytes_;
  std::size_t at_ = 0;
  bool big_endian_ = false;
  std::string problem_;
};

class CdrWriter {
 public:
  CdrWriter() : bytes_("\0\1\0\0", kEncapsulation) {}

  template <class Number>
  void number(Number value) {
    while ((bytes_.size() - kEncapsulation) % sizeof value != 0) bytes_ += '\0';
    store_little(bytes_, value);
  }
  void text(const std::string& text) {
    number(static_cast<std::uint32_t>(text.size() + 1));
    bytes_ += text;
    bytes_ += '\0';
  }
  void doubles(std::span<const double> values) {
    number(static_cast<std::uint32_t>(values.size()));
    for (const double value : values) number(value);
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

}  // namespace

double CdrDoubles::at(std::size_t k) const {
  const unsigned char* from = bytes + k * sizeof(double);
  return big_endian ? load_big<double>(from) : load_little<double>(from);
}

std::string parse_joint_state(ByteSpan message, JointStateView& view) {
  CdrReader reader(message);
  const std::int64_t seconds = reader.number<std::int32_t>();
  view.stamp = seconds * kNanoseconds + reader.number<std::uint32_t>();
  reader.text();  // frame_id
  view.names.resize(reader.count(sizeof(std::uint32_t)));
  for (std::string_view& name : view.names) name = reader.text();
  view.position = reader.doubles();
  view.velocity = reader.doubles();
  view.effort = reader.doubles();
  return reader.problem();
}

std::string parse_multi_array(ByteSpan message, CdrDoubles& data) {
  CdrReader reader(message);
  const std::size_t dimensions = reader.count(3 * sizeof(std::uint32_t));
  for (std::size_t k = 0; k < dimensions && reader.good(); ++k) {
    reader.text();
    reader.number<std::uint32_t>();
    reader.number<std::uint32_t>();
  }
  reader.number<std::uint32_t>();  // data_offset: where the layout begins within the data; all are given
  data = reader.doubles();
  return reader.problem();
}

std::string make_joint_state(std::int64_t stamp, std::span<const std::string> names,
                             std::span<const double> position, std::span<const double> velocity,
                             std::span<const double> effort) {
  CdrWriter writer;
  writer.number(static_cast<std::int32_t>(stamp / kNanoseconds));
  writer.number(static_cast<std::uint32_t>(stamp % kNanoseconds));
  writer.text({});
  writer.number(static_cast<std::uint32_t>(names.size()));
  for (const std::string& name : names) writer.text(name);
  writer.doubles(position);
  writer.doubles(velocity);
  writer.doubles(effort);
  return writer.take();
}

}  // namespace steelyard
