#include "estimate/weights.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "estimate/residuals.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

// σ is not taken smaller than this share of the effort: data without noise leave rounding errors as
// residuals.
constexpr double kSmallest = 1e-14;
// ... nor larger than this multiple of the largest effort. With fewer rows than parameters some joints are
// explained exactly and others not at all; without a bound their weights diverge until the latter are lost.
constexpr double kLargest = 1e3;

// Standard deviation of a group's errors. Groups that have hardly more rows than parameters are not trusted
// beyond a factor 2.
double deviation(const Group& group, const Solution& solution) {
  const auto rows = static_cast<double>(group.rows());
  if (rows == 0) return 0;
  const double used = group.weight * group.weight * group.share(solution.root);
  return std::sqrt(group.residual_squared(solution.x) / std::max(rows - used, rows / 4));
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

double effort_rms(const Problem& problem, const Kind& kind) {
  double squares = 0;
  Index rows = 0;
  for (const std::size_t g : kind.groups) {
    squares +=
        problem.groups[g].residual_squared(VectorXd::Zero(static_cast<Index>(problem.all->columns.size())));
    rows += problem.groups[g].rows();
  }
  return rows > 0 ? std::sqrt(squares / static_cast<double>(rows)) : 0;
}

void fill_covariance(const Solution& solution, Estimate& out) {
  MatrixXd root = solution.root * out.sigma_rows;
  out.sigma = root.rowwise().norm();
  for (Index k = 0; k < root.rows(); ++k) {
    if (solution.status[static_cast<std::size_t>(k)] == ColumnStatus::determined) continue;
    root.row(k).setZero();
    out.sigma[k] = kInfinity;
  }
  out.covariance = root * root.transpose();
  if (out.status == EstimateStatus::too_few_rows) {
    out.sigma.setConstant(std::numeric_limits<double>::quiet_NaN());
    out.covariance.setConstant(std::numeric_limits<double>::quiet_NaN());
  }
  out.relative_sigma = out.sigma.cwiseQuotient(out.values.cwiseAbs());
}

}  // namespace

double reweight(Problem& problem, const Solution& solution, double huber) {
  double change = 0, largest = 0;
  for (const Kind& kind : problem.kinds) largest = std::max(largest, effort_rms(problem, kind));
  for (Kind& kind : problem.kinds) {
    std::vector<double> found, counted;
    for (const std::size_t g : kind.groups) {
      found.push_back(deviation(problem.groups[g], solution));
      if (problem.groups[g].rows() > 0) counted.push_back(found.back());
    }
    if (counted.empty()) continue;
    kind.sigma = std::max(median(counted), kSmallest * effort_rms(problem, kind));
    if (largest > 0) kind.sigma = std::min(kind.sigma, kLargest * largest);
    if (!(kind.sigma > 0)) kind.sigma = 1;
    for (std::size_t k = 0; k < found.size(); ++k) {
      double& weight = problem.groups[kind.groups[k]].weight;
      const double after = std::sqrt(std::min(1.0, huber * kind.sigma / found[k])) / kind.sigma;
      change = std::max(change, std::abs(after / weight - 1));
      weight = after;
    }
  }
  return change;
}

int iterate_weights(Problem& problem, const EstimateOptions& options, Solution& solution,
                    const std::function<Solution()>& solve_again, bool& converged) {
  const bool by_block = options.weighting == Weighting::by_row_and_block;
  const bool iterated = by_block || options.weighting == Weighting::by_row_iterated;
  const int max_steps = options.weighting == Weighting::none ? 0 : iterated ? options.max_iterations : 1;
  converged = !iterated;
  int iterations = 0;
  while (iterations < max_steps) {
    const double change = reweight(problem, solution, by_block ? options.huber : kInfinity);
    solution = solve_again();
    ++iterations;
    converged = converged || change < options.tolerance;
    if (converged) break;
  }
  return iterations;
}

void fill_weights(const Problem& problem, std::size_t folds, Estimate& out) {
  out.weights.resize(folds);
  for (const Group& group : problem.groups) {
    for (const std::size_t f : group.folds) out.weights[f] = group.weight;
  }
}

void fill_residuals(const Problem& problem, const Solution& solution, Estimate& out) {
  double weighted = 0, weighted_effort = 0, used = 0;
  const VectorXd zero = VectorXd::Zero(solution.x.size());
  for (const Kind& kind : problem.kinds) {
    Residual sum;
    sum.row = kind.row;
    sum.unit = kind.unit;
    sum.sigma = kind.sigma;
    double norm = 0, effort = 0;
    for (const std::size_t g : kind.groups) {
      const Group& group = problem.groups[g];
      const double square = group.residual_squared(solution.x), effort_square = group.residual_squared(zero);
      const double w = group.weight * group.weight;
      norm += square, effort += effort_square;
      weighted += w * square, weighted_effort += w * effort_square;
      used += w * group.share(solution.root);
      sum.rows += group.rows();
    }
    sum.norm = std::sqrt(norm), sum.effort = std::sqrt(effort);
    finish(sum);
    out.rows += sum.rows;
    out.per_row.push_back(sum);
  }
  out.totals = totals_by_unit(out.per_row);
  out.residual_weighted = weighted_effort > 0 ? std::sqrt(weighted / weighted_effort) : 0;
  out.degrees = static_cast<double>(out.rows) - used;
  out.sigma_rows = out.degrees > 0.5 ? std::sqrt(weighted / out.degrees) : 0;
}

void finish_estimate(const Solution& solution, bool converged, Estimate& out) {
  if (!converged) out.status = EstimateStatus::not_converged;
  if (solution.rank < out.values.size()) out.status = EstimateStatus::deficient;
  if (out.degrees <= 0.5) out.status = EstimateStatus::too_few_rows;
  fill_covariance(solution, out);
}

}  // namespace steelyard
