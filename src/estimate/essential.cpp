#include "steelyard/estimate/essential.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "estimate/instrument_solve.hpp"
#include "estimate/solve.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/core/suggest.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr double kRankTolerance = 1e-12;

using SubsetSolver = std::function<Solution(const std::vector<Index>&)>;

// What an elimination works on: columns that take part, and how to solve for some of them.
struct Reduction {
  const Estimate& full;
  SubsetSolver solve;
  std::vector<bool> is_kept;  // by the options

  double residual_weighted(const std::vector<Index>& columns, const VectorXd& x) const {
    const MatrixXd Y = full.factor.columns();
    const VectorXd tau = full.factor.efforts().col(0);
    return tau.norm() > 0 ? (Y(Eigen::all, columns) * x - tau).norm() / tau.norm() : 0;
  }
};

// Relative standard deviations of the columns of a solution, but for a common factor; infinite where not
// determined.
VectorXd relative_deviations(const Solution& solution) {
  VectorXd out(solution.x.size());
  for (Index k = 0; k < out.size(); ++k) {
    const bool known = solution.status[static_cast<std::size_t>(k)] == ColumnStatus::determined;
    out[k] = known && solution.x[k] != 0 ? solution.root.row(k).norm() / std::abs(solution.x[k]) : kInfinity;
  }
  return out;
}

struct Candidate {
  Index at = -1;  // in the list of remaining columns; −1: none may be eliminated
  double relative = 0;
  double ratio = 0;
};

// The column to eliminate next. Among undetermined ones, the one that contributes least.
Candidate worst_column(const Reduction& reduction, const std::vector<Index>& left, const Solution& solution) {
  const VectorXd relative = relative_deviations(solution);
  const double smallest = relative.minCoeff();
  const MatrixXd Y = reduction.full.factor.columns();
  const auto part = [&](Index k) {
    return std::abs(solution.x[k]) * Y.col(left[static_cast<std::size_t>(k)]).norm();
  };
  Candidate worst;
  for (Index k = 0; k < relative.size(); ++k) {
    if (reduction.is_kept[static_cast<std::size_t>(left[static_cast<std::size_t>(k)])]) continue;
    const bool tie = worst.at >= 0 && std::isinf(relative[k]) && std::isinf(worst.relative);
    if (worst.at >= 0 && !(tie ? part(k) < part(worst.at) : relative[k] > worst.relative)) continue;
    worst = {k, relative[k], relative[k] / smallest};
  }
  if (std::isinf(smallest)) worst.ratio = kInfinity;
  return worst;
}

std::vector<bool> kept_columns(const Estimate& full, const EssentialOptions& options) {
  std::vector<bool> kept(full.columns.size(), false);
  for (const std::string& name : options.keep) {
    const Index k = full.find(name);
    if (k < 0) {
      throw InputError({fmt::format("column {} is to be kept but is not in the estimate", quoted(name)),
                        {},
                        "a column of the estimate",
                        did_you_mean(name, full.columns)});
    }
    kept[static_cast<std::size_t>(k)] = true;
  }
  return kept;
}

void fill_totals(std::span<const Fold> folds, const Estimate& full, Essential& out) {
  out.totals = residuals(folds, full.columns, out.values).totals;
  out.totals_full = full.totals;
  for (std::size_t u = 0; u < out.totals.size() && u < full.totals.size(); ++u) {
    const double growth = out.totals[u].relative - full.totals[u].relative;
    out.growth = u == 0 ? growth : std::max(out.growth, growth);
  }
}

Essential eliminate(std::span<const Fold> folds, const Reduction& reduction, double limit) {
  const Estimate& full = reduction.full;
  std::vector<Index> left;
  for (std::size_t k = 0; k < full.columns.size(); ++k) {
    if (full.column_status[k] != ColumnStatus::zero) left.push_back(static_cast<Index>(k));
  }
  Essential out;
  Solution solution = reduction.solve(left);
  out.residual_weighted_full = reduction.residual_weighted(left, solution.x);
  while (left.size() > 1) {
    const Candidate worst = worst_column(reduction, left, solution);
    if (worst.at < 0 || !(worst.ratio > limit)) break;
    const Index column = left[static_cast<std::size_t>(worst.at)];
    left.erase(left.begin() + worst.at);
    solution = reduction.solve(left);
    out.eliminated.push_back({full.columns[static_cast<std::size_t>(column)],
                              worst.relative * full.sigma_rows, worst.ratio,
                              reduction.residual_weighted(left, solution.x)});
  }
  out.residual_weighted = reduction.residual_weighted(left, solution.x);
  out.values = out.sigma = VectorXd::Zero(full.values.size());
  for (std::size_t k = 0; k < left.size(); ++k) {
    out.columns.push_back(full.columns[static_cast<std::size_t>(left[k])]);
    out.values[left[k]] = solution.x[static_cast<Index>(k)];
    out.sigma[left[k]] = solution.root.row(static_cast<Index>(k)).norm() * full.sigma_rows;
  }
  if (!left.empty()) {
    const VectorXd relative = relative_deviations(solution);
    out.ratio = relative.maxCoeff() / relative.minCoeff();
  }
  fill_totals(folds, full, out);
  return out;
}

}  // namespace

void EssentialOptions::validate() const {
  if (ratio >= 1) return;
  throw InputError({fmt::format("the ratio of essential parameters is {}", ratio),
                    {},
                    "at least 1",
                    "10 to 30 is typical"});
}

bool Essential::is_eliminated(const std::string& column) const {
  return std::any_of(eliminated.begin(), eliminated.end(),
                     [&](const EliminatedColumn& e) { return e.column == column; });
}

Essential essential(std::span<const Fold> folds, const Estimate& full, const EssentialOptions& options) {
  options.validate();
  const MatrixXd Y = full.factor.columns();
  const VectorXd tau = full.factor.efforts().col(0);
  const SubsetSolver subset = [&](const std::vector<Index>& columns) {
    return solve(Y(Eigen::all, columns), tau, kRankTolerance);
  };
  return eliminate(folds, {full, subset, kept_columns(full, options)}, options.ratio);
}

Essential essential(std::span<const Fold> folds, const InstrumentEstimate& full,
                    const EssentialOptions& options) {
  options.validate();
  const Layout& all = full.all.layout();
  const MatrixXd R = full.all.R();
  const auto effort = static_cast<Index>(all.columns.size());
  const SubsetSolver subset = [&](const std::vector<Index>& columns) {
    std::vector<Index> y, z;
    for (const Index k : columns) {
      const std::string& name = full.estimate.columns[static_cast<std::size_t>(k)];
      y.push_back(all.find(name));
      z.push_back(all.find(instrument_name(name)));
    }
    const InstrumentParts parts = split_by_instruments(R, y, z, effort, kRankTolerance);
    return solve(parts.seen, parts.seen_effort, kRankTolerance);
  };
  return eliminate(folds, {full.estimate, subset, kept_columns(full.estimate, options)}, options.ratio);
}

Estimate reduced(std::span<const Fold> folds, const Estimate& full, const Essential& essential) {
  Estimate out = full;
  out.values = essential.values;
  for (std::size_t k = 0; k < out.columns.size(); ++k) {
    if (essential.is_eliminated(out.columns[k])) out.column_status[k] = ColumnStatus::eliminated;
  }
  out.relative_sigma = out.sigma.cwiseQuotient(out.values.cwiseAbs());
  out.residual_weighted = essential.residual_weighted;
  const Residuals found = residuals(folds, full.columns, essential.values);
  for (Residual& row : out.per_row) {
    for (const Residual& part : found.per_row) {
      if (part.row != row.row) continue;
      const double sigma = row.sigma;
      row = part;
      row.sigma = sigma;
    }
  }
  out.totals = found.totals;
  return out;
}

}  // namespace steelyard
