// Columns that a run's samples give beside those of the plan, and efforts that are known beforehand.
//
//   τ − τ_known = Y π + X ξ        X: friction forms, offsets of one run, springs, cables, instruments
//
// An extra column is a function of the prepared samples (all channels, all joints); it stands behind the
// plan's columns in the layout of its row and goes through the same filter, decimation and rejection. The
// same name in several rows is one parameter. A known effort is subtracted from the measured one before
// anything is filtered; it is in the unit of the row.
//
// Functions are called from several threads at once and must depend on nothing but the samples they are
// given, one by one: chunks overlap, and a sample must give the same value in both. What needs neighbours in
// time (a difference, a filter) has to be a channel of the run's source instead.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/fold/layout.hpp"
#include "steelyard/log/run.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

// out[k][s] = value of the k-th column at sample first + s of the block, s < count.
using FillColumns =
    std::function<void(const SampleBlock& block, Index first, Index count, double* const* out)>;

struct ExtraColumn {
  std::string name;
  Index row = 0;  // of the plan
};

// Columns that are computed together.
struct ExtraColumns {
  std::vector<ExtraColumn> columns;
  FillColumns fill;
};

// One function, one column.
ExtraColumns extra_column(
    std::string name, Index row,
    std::function<void(const SampleBlock& block, Index first, Index count, double* out)> fill);

// The layouts of a plan's rows with the extra columns behind the others, in the order of the list. Throws
// InputError for names that a row has already, and for rows that do not exist.
std::vector<Layout> with_extra_columns(std::vector<Layout> layouts, std::span<const ExtraColumns> extra);

// The values of all columns of a list, column after column: matrix of count × (columns of all entries).
// Throws InputError naming the first column that is not finite.
MatrixXd evaluate_columns(std::span<const ExtraColumns> extra, const SampleBlock& block, Index first,
                          Index count);

}  // namespace STEELYARD_ABI
}  // namespace steelyard
