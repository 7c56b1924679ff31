// From one layout to another: embed, combine, select.
#include <fmt/format.h>

#include <algorithm>

#include "steelyard/core/error.hpp"
#include "steelyard/core/suggest.hpp"
#include "steelyard/fold/fold.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

[[noreturn]] void refuse(const Fold& fold, const std::string& what, const std::string& limit) {
  throw InputError({fmt::format("row {}: {}", quoted(fold.layout().row), what), {}, limit, ""});
}

// Where each column of the fold is in the layout.
std::vector<Index> places(const Fold& fold, const Layout& layout) {
  std::vector<Index> to;
  const Layout& from = fold.layout();
  for (Index k = 0; k < from.size(); ++k) {
    const bool effort = k >= static_cast<Index>(from.columns.size());
    const std::vector<std::string>& names = effort ? layout.efforts : layout.columns;
    const auto found = std::find(names.begin(), names.end(), from.name(k));
    if (found == names.end()) {
      throw InputError(unknown(effort ? "effort column of the new layout" : "column of the new layout",
                               from.name(k), names));
    }
    to.push_back((effort ? static_cast<Index>(layout.columns.size()) : 0) + (found - names.begin()));
  }
  return to;
}

}  // namespace

Fold fold_rows(std::shared_ptr<const Layout> layout, const MatrixXd& rows, Index row_count, Index block) {
  Fold fold(std::move(layout), block);
  if (rows.cols() != fold.size()) {
    refuse(fold, fmt::format("{} columns are given", rows.cols()),
           fmt::format("the layout's {}", fold.size()));
  }
  fold.add(rows);
  fold.rows_ = row_count;
  return fold;
}

Fold fold_rows(Layout layout, const MatrixXd& rows) {
  layout.validate();
  return fold_rows(std::make_shared<const Layout>(std::move(layout)), rows, rows.rows());
}

Fold fold_of_triangle(std::shared_ptr<const Layout> layout, const MatrixXd& R, Index row_count, Index block) {
  Fold fold(std::move(layout), block);
  const bool fits = R.cols() == fold.size() && R.rows() <= fold.size() && R.rows() <= row_count;
  if (!fits || !R.allFinite() || (R.rows() > 0 && R.diagonal().minCoeff() < 0) ||
      !R.triangularView<Eigen::StrictlyLower>().toDenseMatrix().isZero(0))
    refuse(fold, fmt::format("a {} × {} matrix is not a factor of {} rows", R.rows(), R.cols(), row_count),
           "finite, upper triangular, non-negative diagonal");
  fold.rows_ = row_count;
  fold.depth_ = R.rows();
  if (R.rows() == 0) return fold;
  Fold::Triangle triangle = fold.zeros();
  for (Index i = 0; i < R.rows(); ++i)
    for (Index j = i; j < R.cols(); ++j) triangle[fold.place(i, j)] = R(i, j);
  fold.replace(std::move(triangle));
  return fold;
}

Fold embed(const Fold& fold, const Layout& layout) {
  layout.validate();
  return embed(fold, std::make_shared<const Layout>(layout));
}

Fold embed(const Fold& fold, std::shared_ptr<const Layout> layout) {
  if (layout->unit != "1" && layout->unit != fold.layout().unit) {
    refuse(fold,
           fmt::format("its unit {} is not the new layout's {}", quoted(fold.layout().unit),
                       quoted(layout->unit)),
           "the same unit, or \"1\"");
  }
  const std::vector<Index> to = places(fold, *layout);
  const bool in_order = std::is_sorted(to.begin(), to.end());
  if (!in_order) {
    MatrixXd rows = MatrixXd::Zero(fold.depth(), layout->size());
    const MatrixXd R = fold.R();
    for (Index k = 0; k < fold.size(); ++k) rows.col(to[static_cast<std::size_t>(k)]) = R.col(k);
    return fold_rows(std::move(layout), rows, fold.rows(), fold.block());
  }
  // A triangle with columns of zeros between its own is one again: entries only move to the right, and what
  // stands on the diagonal is what stood there, or zero.
  Fold out(std::move(layout), fold.block());
  out.rows_ = fold.rows();
  out.depth_ = fold.depth();
  if (out.depth_ == 0) return out;
  Fold::Triangle triangle = out.zeros();
  for (Index i = 0; i < fold.depth(); ++i) {
    for (Index k = i; k < fold.size(); ++k)
      triangle[out.place(i, to[static_cast<std::size_t>(k)])] = fold(i, k);
  }
  out.replace(std::move(triangle));
  return out;
}

Fold combine_columns(const Fold& fold, const MatrixXd& C, const Layout& layout) {
  layout.validate();
  if (C.rows() != fold.size() || C.cols() != layout.size()) {
    refuse(fold, fmt::format("a matrix of {} × {} cannot combine its columns", C.rows(), C.cols()),
           fmt::format("{} × {}", fold.size(), layout.size()));
  }
  if (!C.allFinite())
    refuse(fold, "a matrix that is not finite cannot combine its columns", "finite numbers");
  return fold_rows(std::make_shared<const Layout>(layout), fold.R() * C, fold.rows(), fold.block());
}

Fold select_columns(const Fold& fold, const std::vector<std::string>& columns) {
  Layout layout = fold.layout();
  layout.columns = columns;
  MatrixXd C = MatrixXd::Zero(fold.size(), layout.size());
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const std::vector<std::string>& known = fold.layout().columns;
    const auto found = std::find(known.begin(), known.end(), columns[k]);
    if (found == known.end())
      throw InputError(unknown("column of row " + fold.layout().row, columns[k], known));
    C(found - known.begin(), static_cast<Index>(k)) = 1;
  }
  const auto efforts = static_cast<Index>(layout.efforts.size());
  C.bottomRightCorner(efforts, efforts).setIdentity();
  return combine_columns(fold, C, layout);
}

}  // namespace steelyard
