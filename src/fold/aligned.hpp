// Memory for tiles: columns that begin on cache lines, an odd number of them apart.
#pragma once

#include <memory>
#include <new>

#include "steelyard/core/abi.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct FreeAligned {
  void operator()(double* p) const { ::operator delete (p, std::align_val_t{64}); }
};
using AlignedBuffer = std::unique_ptr<double, FreeAligned>;

inline AlignedBuffer aligned_buffer(Index doubles) {
  const auto bytes = static_cast<std::size_t>(doubles) * sizeof(double);
  return AlignedBuffer(static_cast<double*>(::operator new (bytes, std::align_val_t{64})));
}

// Samples of a tile: the fold is fastest when a panel of eight columns and eight later ones fit the first
// cache.
inline constexpr Index kTileSamples = 192;

}  // namespace steelyard
