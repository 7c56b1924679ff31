// Columns in memory to folds, tile by tile.
#pragma once

#include <cstdint>
#include <span>

#include "fold/kernels/triangle.hpp"
#include "steelyard/core/abi.hpp"
#include "steelyard/fold/fold.hpp"
#include "steelyard/fold/samples.hpp"

namespace steelyard::inline STEELYARD_ABI {

// Kernels of the instruction set in use.
const fold_kernels::Kernels& fold_kernels_in_use();

// Sets what is no row (mask 0, and the padding behind `count`) to zero in all columns; returns how many rows
// are left.
Index blank(std::span<double* const> columns, Index count, const std::uint8_t* mask);

// Multiplies the rows of a tile of at most kTileSamples by their weights, then blanks; rows without weight
// are blank, too.
Index weigh_and_blank(std::span<double* const> columns, Index count, const std::uint8_t* mask,
                      const WeighRows& weigh, Index row);

// Folds samples [first, first + count) of the columns; mask[s] = 0 leaves sample s out, null: none.
// `weigh` may be null; `row` is for it.
void fold_columns(std::span<const double* const> columns, Index first, Index count, const std::uint8_t* mask,
                  Fold& fold, const WeighRows* weigh = nullptr, Index row = 0);

}  // namespace steelyard
