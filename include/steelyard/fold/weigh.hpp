// Weights of single rows, on their way into a fold.
//
// A function gets the rows of one kind tile by tile, as they are folded (filtered, decimated), and returns
// the weight of each; a row with weight 0 is left out and not counted. It is called from several threads at
// once and must depend on nothing but the row: the order of tiles is not fixed.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "steelyard/core/abi.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

// weight[s] for s < count; `row` of the plan; columns in the order of the row's layout, efforts last. Samples
// with mask 0 are no rows (null: all are), regardless of their weight.
using WeighRows = std::function<void(Index row, std::span<const double* const> columns, Index count,
                                     const std::uint8_t* mask, double* weight)>;

}  // namespace STEELYARD_ABI
}  // namespace steelyard
