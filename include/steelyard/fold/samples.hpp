// Samples in memory, straight into the folds of all rows: the regressor is made tile by tile, 192 samples at
// a time, and each row's part of a tile is folded under its triangle while it is in the cache. The stacked
// matrix never exists.
//
// Calls of 4096 samples or more are folded by the sum of the rows' products instead of reflections where
// that is safe: ‖R v‖² is then right to 1e-10 of itself for every v, not to some ε. A probe of the samples
// and the condition of the factor decide row by row; rows that fail are folded by reflections.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/fold/fold.hpp"
#include "steelyard/regressor/plan.hpp"

namespace steelyard::inline STEELYARD_ABI {

// Weights of single rows, on their way into a fold.
//
// A function gets the rows of one kind tile by tile, as they are folded (filtered, decimated), and returns
// the weight of each; a row with weight 0 is left out and not counted. It is called from several threads at
// once and must depend on nothing but the row: the order of tiles is not fixed.
// weight[s] for s < count; `row` of the plan; columns in the order of the row's layout, efforts last. Samples
// with mask 0 are no rows (null: all are), regardless of their weight.
using WeighRows = std::function<void(Index row, std::span<const double* const> columns, Index count,
                                     const std::uint8_t* mask, double* weight)>;

struct RowInput {
  std::vector<const double*> efforts;     // one per effort column of the row, samples.count values each
  const std::uint8_t* mask = nullptr;     // samples with 0 are no rows; null: all are
  std::vector<const double*> extra = {};  // columns of the row behind those of the plan, as many values each
  const WeighRows* weigh = nullptr;       // weights of the row's samples; null: none
};

// Extends folds[r] by the rows r of the plan at all samples. The folds' columns are those of the plan's rows
// (see row_layouts) and as many extra ones as the input has; otherwise, and for values that are not finite,
// InputError.
void fold_samples(const Plan& plan, const Samples& samples, std::span<const RowInput> rows,
                  std::span<Fold> folds);

}  // namespace steelyard
