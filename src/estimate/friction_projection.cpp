#include "estimate/friction_projection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "estimate/solve.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/core/linear_algebra.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

// The factor of some columns and the effort, square, rows beyond its depth zero.
MatrixXd square_factor(const Fold& factor, const std::vector<std::string>& columns) {
  const MatrixXd R = select_columns(factor, columns).R();
  MatrixXd out = MatrixXd::Zero(R.cols(), R.cols());
  out.topRows(R.rows()) = R;
  return out;
}

// Columns that are neither zero nor, to the tolerance, combinations of others.
std::vector<std::string> independent(const Fold& factor, const std::vector<std::string>& columns,
                                     double tolerance) {
  const auto count = static_cast<Index>(columns.size());
  MatrixXd R = square_factor(factor, columns).leftCols(count);
  for (Index k = 0; k < count; ++k) {
    const double norm = R.col(k).norm();
    if (norm > 0) R.col(k) /= norm;
  }
  const PivotedQr qr(R);
  std::set<Index> kept;
  const auto diagonal = qr.packed().diagonal().cwiseAbs();
  for (Index k = 0; k < count; ++k) {
    if (diagonal[k] > tolerance * diagonal[0]) kept.insert(qr.permutation().indices()[k]);
  }
  std::vector<std::string> names;
  for (const Index k : kept) names.push_back(columns[static_cast<std::size_t>(k)]);
  return names;
}

}  // namespace

Fold weighted_factor(const std::vector<Fold>& folds, const RowWeights& weights) {
  std::vector<const Layout*> layouts;
  for (const Fold& fold : folds) layouts.push_back(&fold.layout());
  const auto all = std::make_shared<const Layout>(union_layout(layouts));
  Fold total(all);
  for (const Fold& fold : folds) {
    if (fold.rows() == 0) continue;
    Fold part = fold;
    part.scale(weights.at(fold.layout().row));
    total.merge(embed(part, all));
  }
  return total;
}

RowWeights row_weights(const std::vector<Fold>& folds, const std::vector<std::string>& used,
                       const EstimateOptions& options) {
  std::vector<Fold> narrow;
  for (const Fold& fold : folds) {
    std::vector<std::string> own;
    for (const std::string& column : fold.layout().columns)
      if (std::find(used.begin(), used.end(), column) != used.end()) own.push_back(column);
    narrow.push_back(select_columns(fold, own));
    narrow.back().set_block(fold.block());
  }
  EstimateOptions quick = options;
  quick.conditions = false;
  RowWeights weights;
  for (const Residual& row : estimate(narrow, quick).per_row)
    weights[row.row] = row.sigma > 0 ? 1 / row.sigma : 1;
  return weights;
}

std::vector<std::string> used_columns(const Layout& all, const std::vector<FrictionJoint>& joints,
                                      const std::vector<FrictionModel>& models) {
  std::set<std::string> unused;
  for (std::size_t j = 0; j < joints.size(); ++j) {
    if (!models[j].viscous) unused.insert(fmt::format("fv{}", joints[j].number));
    if (!models[j].coulomb) unused.insert(fmt::format("fc{}", joints[j].number));
    if (!models[j].offset) unused.insert(fmt::format("fo{}", joints[j].number));
  }
  std::vector<std::string> names;
  for (const std::string& name : all.columns)
    if (!is_tangent(name) && !unused.contains(name)) names.push_back(name);
  return names;
}

Projection project(const Fold& factor, Index rows, const std::vector<FrictionJoint>& joints,
                   const std::vector<FrictionModel>& models, double rank_tolerance) {
  std::vector<std::string> columns =
      independent(factor, used_columns(factor.layout(), joints, models), rank_tolerance);
  const auto linear = static_cast<Index>(columns.size());
  Index tangents = 0;
  for (std::size_t j = 0; j < joints.size(); ++j) {
    for (std::string& name : tangent_columns(models[j], joints[j].number)) {
      columns.push_back(std::move(name));
      ++tangents;
    }
  }
  const MatrixXd R = square_factor(factor, columns);
  const Index effort = R.cols() - 1;
  Projection out;
  out.R22 = R.block(linear, linear, tangents, tangents);
  out.r2 = R.col(effort).segment(linear, tangents);
  out.cost = R.col(effort).tail(R.rows() - linear).squaredNorm();
  out.degrees = std::max(1.0, static_cast<double>(rows - linear - tangents));
  const Solution solution =
      solve(R.topLeftCorner(linear, linear), R.col(effort).head(linear), rank_tolerance);
  out.columns.assign(columns.begin(), columns.begin() + linear);
  out.x = solution.x;
  out.R11 = R.topLeftCorner(linear, linear);
  out.by_tangents = out.R11.triangularView<Eigen::Upper>().solve(R.block(0, linear, linear, tangents));
  out.heights.setZero(static_cast<Index>(joints.size()));
  out.height_roots.setZero(out.heights.size());
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const auto found =
        std::find(columns.begin(), columns.end(), friction_column(models[j].form, joints[j].number));
    if (models[j].shape_size() == 0 || found == columns.end()) continue;
    out.heights[static_cast<Index>(j)] = solution.x[found - columns.begin()];
    out.height_roots[static_cast<Index>(j)] = solution.root.row(found - columns.begin()).norm();
  }
  return out;
}

}  // namespace steelyard
