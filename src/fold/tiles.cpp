#include "fold/tiles.hpp"

#include <algorithm>
#include <vector>

#include "fold/aligned.hpp"
#include "steelyard/regressor/plan.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

Index blank(std::span<double* const> columns, Index count, const std::uint8_t* mask) {
  const Index padded = (count + 7) / 8 * 8;
  for (double* column : columns) std::fill(column + count, column + padded, 0.0);
  if (!mask) return count;
  Index valid = 0;
  for (Index s = 0; s < count; ++s) {
    if (mask[s]) {
      ++valid;
    } else {
      for (double* column : columns) column[s] = 0;
    }
  }
  return valid;
}

void fold_columns(std::span<const double* const> columns, Index first, Index count, const std::uint8_t* mask,
                  Fold& fold) {
  const Index stride = tile_stride(kTileSamples);
  const AlignedBuffer buffer = aligned_buffer(stride * static_cast<Index>(columns.size()));
  std::vector<double*> tile;
  for (std::size_t k = 0; k < columns.size(); ++k)
    tile.push_back(buffer.get() + static_cast<Index>(k) * stride);
  for (Index done = 0; done < count; done += kTileSamples) {
    const Index from = first + done, part = std::min(kTileSamples, count - done);
    for (std::size_t k = 0; k < columns.size(); ++k) std::copy_n(columns[k] + from, part, tile[k]);
    fold.consume(tile, part, blank(tile, part, mask ? mask + from : nullptr));
  }
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
