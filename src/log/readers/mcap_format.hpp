// MCAP, version 0: magic, records, magic.
//
//   record    op (one byte), length (64 bits), content; little-endian; texts and maps have a length of 32
//   bits chunk     first and last time, unpacked size (64 bits each), CRC, packing (text), length (64 bits),
//   records message   channel (16 bits), sequence (32), log time, publish time (64 each, ns), data data end
//   CRC of all bytes before it; then a summary, the footer with the summary's CRC, and the magic
#pragma once

#include <cstddef>
#include <cstdint>

#include "steelyard/core/abi.hpp"

namespace steelyard::inline STEELYARD_ABI {
inline constexpr unsigned char kMcapMagic[8] = {0x89, 'M', 'C', 'A', 'P', '0', '\r', '\n'};
inline constexpr std::size_t kMcapRecordHead = 9;
inline constexpr std::size_t kMcapFooterLength = 20;

enum McapOp : unsigned {
  kMcapHeader = 1,
  kMcapFooter = 2,
  kMcapSchema = 3,
  kMcapChannel = 4,
  kMcapMessage = 5,
  kMcapChunk = 6,
  kMcapMessageIndex = 7,
  kMcapChunkIndex = 8,
  kMcapStatistics = 11,
  kMcapDataEnd = 15,
};

}  // namespace steelyard
