// What the numbers of a fold mean: which equation its rows are, and the names of its columns.
//
// Every row is one scalar equation Y π = E γ: columns Y by the names of the parameters they multiply, effort
// columns E by the names of what was measured (torque, one per current, one per sign segment). Two folds may
// be merged only when their layouts are equal; embed() and combine_columns() lead from one layout to another.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/log/run.hpp"
#include "steelyard/regressor/plan.hpp"
#include "steelyard/robot/robot.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct Layout {
  std::string row;                        // "torque:joint3"
  std::string unit;                       // of Y π: "N*m", "N"; "1" for rows divided by σ
  std::vector<std::string> columns;       // of Y
  std::vector<std::string> efforts;       // of E
  std::vector<std::string> effort_units;  // one per effort
  std::string robot;                      // hash of the robot
  std::string preparation;                // hash of what was done to the samples

  Index size() const { return static_cast<Index>(columns.size() + efforts.size()); }
  // Index of a column, then of the efforts behind the columns; −1 when there is none.
  Index find(const std::string& name) const;
  const std::string& name(Index k) const;

  // Throws InputError for names that are empty or occur twice, and for missing units.
  void validate() const;

  bool operator==(const Layout&) const = default;
};

// "column 3 is 'mx4' here and 'my4' there"; nothing when the layouts are equal.
std::optional<std::string> first_difference(const Layout& here, const Layout& there);

// What the layouts of a plan's rows have in common.
struct LayoutOptions {
  std::vector<std::string> efforts = {"torque"};
  std::vector<std::string> effort_units;  // empty: those of the rows
  std::string robot;                      // hashes
  std::string preparation;
};

// One layout a row, with names such as "torque:elbow", "gravity:elbow", "inertia:elbow:shoulder" and the
// units that the joints' kinds give.
std::vector<Layout> row_layouts(const Plan& plan, const Robot& robot, const LayoutOptions& options = {});

// All columns that occur, in the order of their first appearance, row "all" and unit "1". Effort columns must
// be the same everywhere, otherwise InputError.
Layout union_layout(const std::vector<const Layout*>& layouts);

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

}  // namespace steelyard
