// Columns in memory to folds, tile by tile.
#pragma once

#include <cstdint>
#include <span>

#include "steelyard/core/abi.hpp"
#include "steelyard/fold/fold.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

// Sets what is no row (mask 0, and the padding behind `count`) to zero in all columns; returns how many rows
// are left.
Index blank(std::span<double* const> columns, Index count, const std::uint8_t* mask);

// Folds samples [first, first + count) of the columns; mask[s] = 0 leaves sample s out, null: none.
void fold_columns(std::span<const double* const> columns, Index first, Index count, const std::uint8_t* mask,
                  Fold& fold);

}  // namespace STEELYARD_ABI
}  // namespace steelyard
