// Where the extra columns of a pass are in memory: one after the other, in the order of the list.
#pragma once

#include <span>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/fold/layout.hpp"

namespace steelyard::inline STEELYARD_ABI {

Index count_columns(std::span<const ExtraColumns> extra);

// The numbers of the columns of each row, in the order of its layout.
std::vector<std::vector<Index>> columns_of_rows(std::span<const ExtraColumns> extra, std::size_t rows);

// Column k at to + k · stride.
void fill_columns(std::span<const ExtraColumns> extra, const SampleBlock& block, Index first, Index count,
                  double* to, Index stride);

}  // namespace steelyard
