// Numbers in bytes, checksums, and files read by position.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>

#include "steelyard/core/abi.hpp"

namespace steelyard::inline STEELYARD_ABI {

template <class Number>
Number load_little(const void* bytes) {
  static_assert(std::endian::native == std::endian::little,
                "bytes are swapped for little-endian machines only");
  Number value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

template <class Number>
Number load_big(const void* bytes) {
  unsigned char swapped[sizeof(Number)];
  for (std::size_t k = 0; k < sizeof(Number); ++k)
    swapped[k] = static_cast<const unsigned char*>(bytes)[sizeof(Number) - 1 - k];
  return load_little<Number>(swapped);
}

template <class Number>
void store_little(std::string& bytes, Number value) {
  char raw[sizeof value];
  std::memcpy(raw, &value, sizeof value);
  bytes.append(raw, sizeof value);
}

// CRC-32 of zip, PNG and MCAP (polynomial 0xEDB88320), continued from `before`.
std::uint32_t crc32(const void* bytes, std::size_t count, std::uint32_t before = 0);

// A log opened for reading at any position. Throws InputError for what open_log_file refuses.
class InputBytes {
 public:
  explicit InputBytes(std::string path);
  ~InputBytes();
  InputBytes(const InputBytes&) = delete;
  InputBytes& operator=(const InputBytes&) = delete;

  const std::string& path() const { return path_; }
  std::uint64_t size() const { return size_; }
  // Throws InputError when the file ends before, MachineError when the disk fails.
  void read(std::uint64_t at, void* target, std::size_t count) const;

 private:
  std::string path_;
  int file_ = -1;
  std::uint64_t size_ = 0;
};

}  // namespace steelyard
