// Which rows a tree has, and where a row stores which column.
//
// The row of joint i holds the wanted columns of the links that joint i carries, ascending, then the drive
// columns that act on it. Inertia rows M_ij, j on the path to i, hold the links that joint i carries.
#pragma once

#include <vector>

#include "regressor/columns.hpp"
#include "regressor/program.hpp"
#include "steelyard/dynamics/dynamics.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct TileLayout {
  std::vector<Row> rows;         // of the joints
  std::vector<unsigned> masks;   // per link: bit k: parameter k is wanted and can be touched
  std::vector<int> first_row;    // per joint, and one more entry: the number of rows
  std::vector<int> link_column;  // per link, and one more: its first column
  int stored = 0;

  std::vector<int> rows_of(int joint) const;  // one, or M_ij for j on the path, the last one is M_ii
  int place(int row, int link) const;  // stored column where the link's wanted columns begin on the row
  int place_of_column(int row, int column) const;
};

TileLayout make_layout(const Tree& tree, const std::vector<PlanColumn>& columns, RowKind kind);

// Replaces the joints' rows in the plan by those of the independent coordinates; returns how to form them.
std::vector<kernels::Mix> mix_rows(const Coordinates& coordinates, RowKind kind, Plan& plan);

}  // namespace steelyard
