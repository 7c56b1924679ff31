#include "estimate/residuals.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "steelyard/core/error.hpp"

namespace steelyard::inline STEELYARD_ABI {

void finish(Residual& residual) {
  residual.rms = residual.rows > 0 ? residual.norm / std::sqrt(static_cast<double>(residual.rows)) : 0;
  residual.relative =
      residual.effort > 0 ? residual.norm / residual.effort : (residual.norm > 0 ? kInfinity : 0);
}

void add(const Residual& part, Residual& to) {
  to.rows += part.rows;
  to.norm = std::hypot(to.norm, part.norm);
  to.effort = std::hypot(to.effort, part.effort);
  finish(to);
}

void add_by_row(const Residual& part, std::vector<Residual>& rows) {
  const auto found =
      std::find_if(rows.begin(), rows.end(), [&](const Residual& r) { return r.row == part.row; });
  if (found != rows.end()) return add(part, *found);
  rows.push_back(part);
  finish(rows.back());
}

std::vector<Residual> totals_by_unit(const std::vector<Residual>& per_row) {
  std::vector<Residual> totals;
  for (const Residual& row : per_row) {
    auto total =
        std::find_if(totals.begin(), totals.end(), [&](const Residual& t) { return t.unit == row.unit; });
    if (total == totals.end()) {
      totals.emplace_back();
      totals.back().unit = row.unit;
      total = std::prev(totals.end());
    }
    add(row, *total);
  }
  return totals;
}

Residuals residuals(std::span<const Fold> folds, const std::vector<std::string>& columns,
                    const VectorXd& values) {
  require(static_cast<Index>(columns.size()) == values.size(), "one value per column");
  std::map<std::string, double> known;
  for (std::size_t k = 0; k < columns.size(); ++k) known[columns[k]] = values[static_cast<Index>(k)];
  Residuals out;
  for (const Fold& fold : folds) {
    const Layout& layout = fold.layout();
    require(layout.efforts.size() == 1, "residuals need one effort column");
    VectorXd x = VectorXd::Zero(static_cast<Index>(layout.columns.size()));
    for (std::size_t k = 0; k < layout.columns.size(); ++k) {
      const auto found = known.find(layout.columns[k]);
      if (found != known.end()) x[static_cast<Index>(k)] = found->second;
    }
    const MatrixXd R = fold.R();
    Residual part;
    part.row = layout.row;
    part.unit = layout.unit;
    part.rows = fold.rows();
    if (R.rows() > 0) {
      part.norm = (R.leftCols(x.size()) * x - R.col(x.size())).norm();
      part.effort = R.col(x.size()).norm();
    }
    add_by_row(part, out.per_row);
  }
  out.totals = totals_by_unit(out.per_row);
  return out;
}

}  // namespace steelyard
