// LZ4 frames and Zstandard, the two packings of bags; both are optional parts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cdr.hpp"
#include "steelyard/core/abi.hpp"

namespace steelyard::inline STEELYARD_ABI {

enum class Packing { none, lz4, zstd };

// Unpacks to `size` bytes exactly. Throws InputError when that does not work out, MachineError without the
// part.
std::vector<unsigned char> unpack(Packing packing, ByteSpan packed, std::uint64_t size,
                                  const std::string& path);

// Throws MachineError without the part.
std::string pack(Packing packing, const std::string& bytes, const std::string& path);

}  // namespace steelyard
