#include "steelyard/fold/prior.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "steelyard/core/error.hpp"
#include "steelyard/core/suggest.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

void check_sigma(double sigma, const std::string& column) {
  if (sigma > 0) return;
  throw InputError({fmt::format("the standard deviation of {} is {}", quoted(column), sigma),
                    {},
                    "a positive number",
                    "for exactly known values see combine_columns"});
}

void check_sizes(const Layout& layout, Index size) {
  if (layout.efforts.size() != 1) {
    throw InputError({fmt::format("a prior for {} effort columns", layout.efforts.size()),
                      {},
                      "one effort column",
                      "combine the effort columns first"});
  }
  if (size == static_cast<Index>(layout.columns.size())) return;
  throw InputError({fmt::format("a prior with {} values for {} columns", size, layout.columns.size()),
                    {},
                    "one value per column",
                    ""});
}

}  // namespace

Layout prior_layout(const Layout& layout, const std::string& row) {
  Layout out = layout;
  out.row = row;
  out.unit = "1";
  out.effort_units.assign(out.efforts.size(), "1");
  return out;
}

Fold prior(const Layout& layout, const VectorXd& mean, const MatrixXd& W) {
  check_sizes(layout, mean.size());
  check_sizes(layout, W.cols());
  MatrixXd rows(W.rows(), W.cols() + 1);
  rows << W, W * mean;
  return fold_rows(layout, rows);
}

Fold prior(const Layout& layout, const VectorXd& mean, const VectorXd& sigma) {
  check_sizes(layout, mean.size());
  check_sizes(layout, sigma.size());
  MatrixXd rows = MatrixXd::Zero(mean.size(), mean.size() + 1);
  Index r = 0;
  for (Index k = 0; k < mean.size(); ++k) {
    check_sigma(sigma[k], layout.name(k));
    if (std::isinf(sigma[k])) continue;
    rows(r, k) = 1 / sigma[k];
    rows(r++, mean.size()) = mean[k] / sigma[k];
  }
  return fold_rows(layout, rows.topRows(r));
}

Fold linear_equality(const Layout& layout, const VectorXd& a, double value, double sigma) {
  check_sizes(layout, a.size());
  check_sigma(sigma, layout.row);
  MatrixXd row(1, a.size() + 1);
  row << a.transpose() / sigma, value / sigma;
  return fold_rows(layout, row);
}

Fold known_value(const Layout& layout, const std::string& column, double value, double sigma) {
  const auto found = std::find(layout.columns.begin(), layout.columns.end(), column);
  if (found == layout.columns.end()) throw InputError(unknown("column", column, layout.columns));
  check_sigma(sigma, column);
  VectorXd a = VectorXd::Zero(static_cast<Index>(layout.columns.size()));
  a[found - layout.columns.begin()] = 1;
  return linear_equality(layout, a, value, sigma);
}

}  // namespace steelyard
