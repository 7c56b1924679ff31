// SHA-256 (FIPS 180-4), by which a result names the bytes it was made from.
//
// It identifies files; nothing here is meant to keep secrets.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "steelyard/core/abi.hpp"

namespace steelyard::inline STEELYARD_ABI {

// The digest of everything given to add(), in any number of pieces.
class Sha256 {
 public:
  void add(std::string_view bytes);
  // Ends the message; the object must not be used afterwards.
  std::array<std::uint8_t, 32> finish();

 private:
  void compress(const std::uint8_t* block);

  std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::uint8_t, 64> pending_ = {};
  std::size_t pending_size_ = 0;
  std::uint64_t size_ = 0;  // bytes so far
};

// 64 lower-case hexadecimal digits.
std::string sha256(std::string_view bytes);

// The same for the content of a file, read in pieces. Throws InputError for a file that cannot be opened or
// is a folder, MachineError when reading fails on the way.
std::string sha256_file(const std::string& path);

}  // namespace steelyard
