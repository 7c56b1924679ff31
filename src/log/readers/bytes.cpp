#include "bytes.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "line_reader.hpp"
#include "steelyard/core/error.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

using CrcTables = std::array<std::array<std::uint32_t, 256>, 8>;

// tables[k][b]: what byte b does to the checksum from k bytes further on.
constexpr CrcTables make_crc_tables() {
  CrcTables tables{};
  for (std::uint32_t b = 0; b < 256; ++b) {
    std::uint32_t value = b;
    for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ ((value & 1) != 0 ? 0xEDB88320U : 0U);
    tables[0][b] = value;
  }
  for (std::size_t k = 1; k < tables.size(); ++k) {
    for (std::size_t b = 0; b < 256; ++b)
      tables[k][b] = (tables[k - 1][b] >> 8) ^ tables[0][tables[k - 1][b] & 0xFF];
  }
  return tables;
}

constexpr CrcTables kCrc = make_crc_tables();

}  // namespace

std::uint32_t crc32(const void* bytes, std::size_t count, std::uint32_t before) {
  const auto* next = static_cast<const unsigned char*>(bytes);
  std::uint32_t crc = ~before;
  for (; count >= 8; count -= 8, next += 8) {
    const auto eight = load_little<std::uint64_t>(next) ^ crc;
    crc = 0;
    for (std::size_t k = 0; k < 8; ++k) crc ^= kCrc[7 - k][(eight >> 8 * k) & 0xFF];
  }
  for (; count > 0; --count, ++next) crc = (crc >> 8) ^ kCrc[0][(crc ^ *next) & 0xFF];
  return ~crc;
}

InputBytes::InputBytes(std::string path) : path_(std::move(path)), file_(open_log_file(path_)) {
  struct stat status {};
  if (::fstat(file_, &status) == 0) size_ = static_cast<std::uint64_t>(status.st_size);
}

InputBytes::~InputBytes() {
  ::close(file_);
}

void InputBytes::read(std::uint64_t at, void* target, std::size_t count) const {
  const Place place{path_, 0, 0, {}};
  char* next = static_cast<char*>(target);
  while (count > 0) {
    const ssize_t got = ::pread(file_, next, count, static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0)
      throw MachineError({fmt::format("the file cannot be read: {}", std::strerror(errno)), place, {}, {}});
    if (got == 0) {
      throw InputError(
          {fmt::format("the file is truncated: it ends at byte {} of at least {}", size_, at + count),
           place,
           {},
           "check that it was written completely, and save it again"});
    }
    next += got;
    at += static_cast<std::uint64_t>(got);
    count -= static_cast<std::size_t>(got);
  }
}

}  // namespace steelyard
