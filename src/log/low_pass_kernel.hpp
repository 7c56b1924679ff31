// The recurrence of the low-pass on tiles of interleaved columns: tile[sample][lane], one column a lane.
//
//   two poles:  e = x − s2,  d = a2 s1 + a3 e,  y = s2 + d,  s2 ← y + d,  s1 ← 2 (a1 s1 + a2 e) − s1
//   one pole:   d = a1 (x − s2),                y = s2 + d,  s2 ← y + d
//
// Steady at x: s1 = 0, s2 = x in every section. All instruction sets give the same bytes: lanes do not mix,
// and the file is compiled without contraction of products and sums.
#pragma once

#include "steelyard/log/low_pass.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {
namespace kernels {

inline constexpr int kLanes = 16;

// Filters `samples` rows of the tile in place; state is [section][s1, s2][lane]. Both aligned to 64 bytes.
using TileFilter = void (*)(const LowPassSection* sections, int count, double* state, double* tile,
                            Index samples);

// The fastest one for this processor.
TileFilter tile_filter();

// All that this processor can run; for tests.
std::vector<TileFilter> available_tile_filters();

}  // namespace kernels
}  // namespace STEELYARD_ABI
}  // namespace steelyard
