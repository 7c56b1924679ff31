#include "elastic/rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "steelyard/core/error.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr const char* kEffort = "effort";

Index column_of(const Fold& fold, const std::string& name) {
  const Index found = fold.layout().find(name);
  require(found >= 0, "an elastic row has the column");
  return found;
}

}  // namespace

std::string numbered(const char* stem, std::size_t joint) {
  return fmt::format("{}{}", stem, joint + 1);
}

std::string derived(const std::string& column, int order) {
  return column + (order == 1 ? "'" : "''");
}

std::vector<std::string> link_columns(const ElasticModel& model, std::size_t joint) {
  std::vector<std::string> names;
  for (const int k : model.plan.rows[joint].columns)
    names.push_back(model.plan.columns[static_cast<std::size_t>(k)]);
  for (const ExtraColumns& extra : model.options.extra)
    for (const ExtraColumn& column : extra.columns)
      if (column.row == static_cast<Index>(joint)) names.push_back(column.name);
  return names;
}

Fold recombine(const Fold& fold, const std::string& row, const std::vector<ColumnTerm>& columns,
               const std::vector<ColumnTerm>& effort) {
  Layout layout;
  layout.row = row;
  layout.unit = fold.layout().unit;
  layout.efforts = {kEffort};
  layout.effort_units = {layout.unit};
  layout.robot = fold.layout().robot;
  layout.preparation = fold.layout().preparation;
  for (const ColumnTerm& term : columns)
    if (std::find(layout.columns.begin(), layout.columns.end(), term.to) == layout.columns.end())
      layout.columns.push_back(term.to);
  MatrixXd C = MatrixXd::Zero(fold.size(), layout.size());
  for (const ColumnTerm& term : columns) C(column_of(fold, term.from), layout.find(term.to)) += term.factor;
  for (const ColumnTerm& term : effort) C(column_of(fold, term.from), layout.size() - 1) += term.factor;
  Fold out = combine_columns(fold, C, layout);
  out.set_block(fold.block());
  return out;
}

std::vector<ColumnTerm> motor_terms(std::size_t joint) {
  std::vector<ColumnTerm> terms;
  for (const char* stem : {"B", "fv", "fc"}) terms.push_back({numbered(stem, joint), numbered(stem, joint)});
  terms.push_back({numbered("fo", joint), numbered("one", joint)});
  return terms;
}

std::vector<ColumnTerm> same_terms(const std::vector<std::string>& names) {
  std::vector<ColumnTerm> terms;
  for (const std::string& name : names) terms.push_back({name, name});
  return terms;
}

VectorXd values_of(const Estimate& estimate, const std::vector<std::string>& names) {
  VectorXd values = VectorXd::Zero(static_cast<Index>(names.size()));
  for (std::size_t k = 0; k < names.size(); ++k)
    if (const Index found = estimate.find(names[k]); found >= 0)
      values[static_cast<Index>(k)] = estimate.values[found];
  return values;
}

double rms_about_mean(std::span<const Fold> folds, const std::vector<ColumnTerm>& terms,
                      const std::string& one) {
  double sum = 0;
  Index rows = 0;
  for (const Fold& fold : folds) {
    const MatrixXd R = fold.R();
    VectorXd value = VectorXd::Zero(R.rows());
    for (const ColumnTerm& term : terms) value += term.factor * R.col(column_of(fold, term.from));
    const VectorXd ones = R.col(column_of(fold, one));
    const double square = ones.squaredNorm(), mean = square > 0 ? value.dot(ones) / square : 0;
    sum += (value - mean * ones).squaredNorm();
    rows += fold.rows();
  }
  return std::sqrt(sum / static_cast<double>(std::max<Index>(1, rows)));
}

std::size_t joint_of(const ElasticModel& model, const Fold& fold) {
  for (std::size_t j = 0; j < model.layouts.size(); ++j)
    if (model.layouts[j].row == fold.layout().row) return j;
  throw InternalError("a fold that is no row of the elastic equations");
}

std::size_t run_of(const ElasticFolds& rows, const Fold& fold) {
  const auto after = std::upper_bound(rows.runs.begin(), rows.runs.end(), fold.block());
  require(after != rows.runs.begin(), "a fold belongs to a run");
  return static_cast<std::size_t>(after - rows.runs.begin()) - 1;
}

std::vector<ColumnTerm> offset_terms(const ElasticFolds& rows, const Fold& fold, const char* stem,
                                     std::size_t joint) {
  const std::size_t own = run_of(rows, fold);
  std::vector<ColumnTerm> terms;
  for (std::size_t r = 0; r < rows.runs.size(); ++r)
    terms.push_back(
        {fmt::format("{}@{}", numbered(stem, joint), r + 1), numbered("one", joint), r == own ? 1.0 : 0.0});
  return terms;
}

std::vector<Fold> together(const std::vector<std::vector<Fold>>& by_joint) {
  std::vector<Fold> out;
  for (const std::vector<Fold>& runs : by_joint) out.insert(out.end(), runs.begin(), runs.end());
  return out;
}

Index count_rows(std::span<const Fold> folds) {
  return std::accumulate(folds.begin(), folds.end(), Index{0},
                         [](Index sum, const Fold& fold) { return sum + fold.rows(); });
}

std::vector<std::vector<Fold>> totals(const ElasticModel& model, const ElasticFolds& rows) {
  std::vector<std::vector<Fold>> out;
  for (const Layout& layout : model.layouts)
    for (std::vector<Fold>& runs = out.emplace_back(); runs.size() < rows.runs.size();)
      runs.emplace_back(layout, rows.runs[runs.size()]);
  for (const Fold& fold : rows.folds)
    if (fold.rows() > 0) out[joint_of(model, fold)][run_of(rows, fold)].merge(fold);
  return out;
}

}  // namespace steelyard
