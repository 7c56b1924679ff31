// The recurrence of the low-pass on tiles of interleaved columns: tile[sample][lane], one column a lane.
//
//   two poles:  e = x − s2,  d = a2 s1 + a3 e,  y = s2 + d,  s2 ← s2 + 2 d,  s1 ← 2 (a1 s1 + a2 e) − s1
//   one pole:   d = a1 (x − s2),                y = s2 + d,  s2 ← s2 + 2 d
//
// Steady at x: s1 = 0, s2 = x in every section. All instruction sets give the same bytes: lanes do not mix,
// and the file is compiled without contraction of products and sums.
#pragma once

#include "steelyard/log/low_pass.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace kernels {

inline constexpr int kLanes = 16;
inline constexpr Index kTileRows = 128;  // a tile has 16 KiB and stays in the first-level cache

enum class Direction { forward, backward };

// Filters up to kTileRows samples of up to kLanes columns in place, beginning with the first (forward) or the
// last (backward) of them: column l is data[l * stride …]. State is [section][s1, s2][lane], aligned to 64
// bytes.
struct Block {
  double* data = nullptr;
  Index stride = 0;
  int lanes = 0;
  Index rows = 0;
  Direction direction = Direction::forward;
};
using BlockFilter = void (*)(const LowPassSection* sections, int count, double* state, const Block& block);

// The fastest one for this processor.
BlockFilter block_filter();

// All that this processor can run; for tests.
std::vector<BlockFilter> available_block_filters();

}  // namespace kernels
}  // namespace steelyard
