// What the numbers of a fold mean: which equation its rows are, and the names of its columns.
//
// Every row is one scalar equation Y π = E γ: columns Y by the names of the parameters they multiply, effort
// columns E by the names of what was measured (torque, one per current, one per sign segment). Two folds may
// be merged only when their layouts are equal; embed() and combine_columns() lead from one layout to another.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/regressor/plan.hpp"
#include "steelyard/robot/robot.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

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

}  // namespace STEELYARD_ABI
}  // namespace steelyard
