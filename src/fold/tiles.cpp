#include "fold/tiles.hpp"

#include <algorithm>
#include <vector>

#include "fold/aligned.hpp"
#include "steelyard/regressor/plan.hpp"

namespace steelyard::inline STEELYARD_ABI {

const fold_kernels::Kernels& fold_kernels_in_use() {
  switch (isa_level()) {
    case IsaLevel::avx2:
      return *fold_kernels::avx2_fold();
    case IsaLevel::avx512:
      return *fold_kernels::avx512_fold();
    default:
      return *fold_kernels::baseline_fold();
  }
}

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

Index weigh_and_blank(std::span<double* const> columns, Index count, const std::uint8_t* mask,
                      const WeighRows& weigh, Index row) {
  std::vector<double> weight(static_cast<std::size_t>(count));
  const std::vector<const double*> given(columns.begin(), columns.end());
  weigh(row, given, count, mask, weight.data());
  std::vector<std::uint8_t> rows(static_cast<std::size_t>(count));
  for (std::size_t s = 0; s < rows.size(); ++s) rows[s] = (mask == nullptr || mask[s] != 0) && weight[s] > 0;
  for (double* column : columns) {
    for (std::size_t s = 0; s < rows.size(); ++s) column[s] *= weight[s];
  }
  return blank(columns, count, rows.data());
}

void fold_columns(std::span<const double* const> columns, Index first, Index count, const std::uint8_t* mask,
                  Fold& fold, const WeighRows* weigh, Index row) {
  const Index stride = tile_stride(kTileSamples);
  const AlignedBuffer buffer = aligned_buffer(stride * static_cast<Index>(columns.size()));
  std::vector<double*> tile;
  for (std::size_t k = 0; k < columns.size(); ++k)
    tile.push_back(buffer.get() + static_cast<Index>(k) * stride);
  for (Index done = 0; done < count; done += kTileSamples) {
    const Index from = first + done, part = std::min(kTileSamples, count - done);
    for (std::size_t k = 0; k < columns.size(); ++k) std::copy_n(columns[k] + from, part, tile[k]);
    const std::uint8_t* own = mask ? mask + from : nullptr;
    const Index valid = weigh ? weigh_and_blank(tile, part, own, *weigh, row) : blank(tile, part, own);
    fold.consume(tile, part, valid);
  }
}

}  // namespace steelyard
