#include "regressor/layout.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "steelyard/core/error.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

std::vector<std::vector<int>> links_carried(const Tree& tree) {
  std::vector<std::vector<int>> carried(tree.joints.size());
  for (int J = 0; J < tree.size(); ++J) {
    for (const int i : tree.joints[static_cast<std::size_t>(J)].path)
      carried[static_cast<std::size_t>(i)].push_back(J);
  }
  return carried;
}

void add_row(RowKind kind, int i, int j, std::vector<int> columns, TileLayout& layout) {
  Row row;
  row.kind = kind;
  row.i = i;
  row.j = j;
  row.offset = layout.stored;
  row.columns = std::move(columns);
  layout.stored += static_cast<int>(row.columns.size());
  layout.rows.push_back(std::move(row));
}

// Contributions of the joints' row to rows of the independent coordinates.
struct Share {
  int i = 0;
  int j = 0;
  double factor = 0;
};

// τ_red = Gᵀ τ; M_red = Gᵀ M G, where M_ij of i ≠ j stands for M_ji too.
std::vector<Share> shares(const Row& row, RowKind kind, const MatrixXd& G) {
  std::vector<Share> list;
  for (int a = 0; a < G.cols(); ++a) {
    if (kind != RowKind::inertia) {
      if (G(row.i, a) != 0) list.push_back({a, a, G(row.i, a)});
      continue;
    }
    for (int b = 0; b <= a; ++b) {
      double factor = G(row.i, a) * G(row.j, b);
      if (row.i != row.j) factor += G(row.j, a) * G(row.i, b);
      if (factor != 0) list.push_back({a, b, factor});
    }
  }
  return list;
}

}  // namespace

std::vector<int> TileLayout::rows_of(int joint) const {
  const std::size_t at = static_cast<std::size_t>(joint);
  std::vector<int> list(static_cast<std::size_t>(first_row[at + 1] - first_row[at]));
  std::iota(list.begin(), list.end(), first_row[at]);
  return list;
}

int TileLayout::place(int row, int link) const {
  const Row& r = rows[static_cast<std::size_t>(row)];
  const int column = link_column[static_cast<std::size_t>(link)];
  const auto found = std::lower_bound(r.columns.begin(), r.columns.end(), column);
  return r.offset + static_cast<int>(found - r.columns.begin());
}

int TileLayout::place_of_column(int row, int column) const {
  const Row& r = rows[static_cast<std::size_t>(row)];
  const auto found = std::lower_bound(r.columns.begin(), r.columns.end(), column);
  require(found != r.columns.end() && *found == column, "a drive column is on the row it acts on");
  return r.offset + static_cast<int>(found - r.columns.begin());
}

TileLayout make_layout(const Tree& tree, const std::vector<PlanColumn>& columns, RowKind kind) {
  const std::size_t n = tree.joints.size();
  TileLayout layout;
  layout.masks.assign(n, 0u);
  layout.link_column.assign(n + 1, 0);
  const int touched = kind == RowKind::gravity ? 4 : kParametersPerLink;  // gravity: m, mx, my, mz
  std::vector<std::vector<int>> of_link(n), of_drive(n);
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const int index = static_cast<int>(c);
    for (const DriveAction& action : columns[c].actions)
      of_drive[static_cast<std::size_t>(action.joint)].push_back(index);
    if (columns[c].link < 0) continue;
    const std::size_t link = static_cast<std::size_t>(columns[c].link);
    ++layout.link_column[link + 1];
    if (columns[c].parameter >= touched) continue;
    of_link[link].push_back(index);
    layout.masks[link] |= 1u << columns[c].parameter;
  }
  std::partial_sum(layout.link_column.begin(), layout.link_column.end(), layout.link_column.begin());
  const std::vector<std::vector<int>> carried = links_carried(tree);
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<int> own;
    for (const int J : carried[i]) {
      own.insert(own.end(), of_link[static_cast<std::size_t>(J)].begin(),
                 of_link[static_cast<std::size_t>(J)].end());
    }
    layout.first_row.push_back(static_cast<int>(layout.rows.size()));
    const int joint = static_cast<int>(i);
    if (kind == RowKind::inertia) {
      for (const int j : tree.joints[i].path) {
        if (j != joint) add_row(kind, joint, j, own, layout);
      }
    }
    own.insert(own.end(), of_drive[i].begin(), of_drive[i].end());
    add_row(kind, joint, joint, std::move(own), layout);
  }
  layout.first_row.push_back(static_cast<int>(layout.rows.size()));
  return layout;
}

std::vector<kernels::Mix> mix_rows(const Coordinates& coordinates, RowKind kind, Plan& plan) {
  // Row (a, b) → column → stored columns of the joints' tile with their factors.
  using Sources = std::map<int, std::vector<std::pair<int, double>>>;
  std::map<std::pair<int, int>, Sources> mixed;
  for (int a = 0; a < coordinates.matrix.cols(); ++a) mixed[{a, a}];
  for (const Row& row : plan.rows) {
    for (const Share& share : shares(row, kind, coordinates.matrix)) {
      Sources& sources = mixed[{share.i, share.j}];
      for (std::size_t k = 0; k < row.columns.size(); ++k) {
        sources[row.columns[k]].push_back({row.offset + static_cast<int>(k), share.factor});
      }
    }
  }
  std::vector<kernels::Mix> mixes;
  plan.rows.clear();
  plan.stored_columns = 0;
  for (const auto& [key, sources] : mixed) {
    Row row;
    row.kind = kind;
    row.i = key.first;
    row.j = key.second;
    row.offset = plan.stored_columns;
    for (const auto& [column, list] : sources) {
      row.columns.push_back(column);
      for (const auto& [source, factor] : list) mixes.push_back({plan.stored_columns, source, factor});
      ++plan.stored_columns;
    }
    plan.rows.push_back(std::move(row));
  }
  return mixes;
}

}  // namespace steelyard
