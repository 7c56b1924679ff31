// Gauss-Newton on the motor rows: currents as outputs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "gains/spread.hpp"
#include "steelyard/core/error.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr double kConverged = 1e-9;  // relative change of the gains
constexpr int kHalvings = 12;

Index gain_of(const GainProblem& problem, const Fold& motor) {
  const auto found = std::find(problem.gains.begin(), problem.gains.end(), motor.layout().efforts.at(0));
  require(found != problem.gains.end(), "a motor row has the current of one gain");
  return found - problem.gains.begin();
}

// Value of a column of a motor row, fixed loads included; `fixed`: of a fixed load.
double value_of(const GainProblem& problem, const GainRun& run, const GainFit& fit, const std::string& column,
                bool& fixed) {
  fixed = column == kKnownEffort;
  if (fixed) return 1;
  if (const Index at = fit.find(column); at >= 0) return fit.values[at];
  const Load* load = load_of(problem, run);
  if (!load) return 0;
  const std::vector<std::string> names = load_columns(load->name);
  const auto found = std::find(names.begin(), names.end(), column);
  if (found == names.end()) return 0;
  fixed = true;
  return load->fixed_values()[found - names.begin()];
}

// v_j − τ_j/g_j ≈ e − J x: columns J, effort e = v − (τ̂ + τ_fixed)/g.
Fold linearized(const GainProblem& problem, const GainRun& run, const GainFit& at, const Fold& motor) {
  const Layout& from = motor.layout();
  const double g = at.values[gain_of(problem, motor)];
  const auto columns = static_cast<Index>(from.columns.size());
  Layout layout = from;
  layout.unit = "A";
  layout.columns = {from.efforts.at(0)};
  layout.efforts = {"load"};
  layout.effort_units = {"A"};
  MatrixXd C = MatrixXd::Zero(from.size(), from.size() + 1);
  VectorXd effort = VectorXd::Zero(from.size());
  effort[columns] = 1;
  Index next = 1;
  for (Index k = 0; k < columns; ++k) {
    bool fixed = false;
    const double value = value_of(problem, run, at, from.name(k), fixed);
    C(k, 0) = -value / (g * g);
    effort[k] = -(fixed ? 2 : 1) * value / g;
    if (at.find(from.name(k)) < 0) continue;
    layout.columns.push_back(from.name(k));
    C(k, next++) = 1 / g;
  }
  C.col(next) = effort;
  return combine_columns(motor, C.leftCols(next + 1), layout);
}

// One fold per run and row.
std::vector<Fold> merged_motor_rows(const GainRun& run) {
  std::vector<Fold> totals;
  std::map<std::string, std::size_t> places;
  for (const Fold& fold : run.motor) {
    const auto [found, is_new] = places.try_emplace(fold.layout().row, totals.size());
    if (is_new)
      totals.push_back(fold);
    else
      totals[found->second].merge(fold);
  }
  return totals;
}

// Total rows once, for the iterations.
GainProblem with_total_rows(const GainProblem& problem) {
  GainProblem total = problem;
  for (GainRun& run : total.runs) {
    run.motor = merged_motor_rows(run);
    for (Fold& fold : run.motor) fold.set_block(0);
  }
  return total;
}

// Σ w² ‖v − τ/g‖² with the standard deviations of the rows, and the priors.
double cost(const GainProblem& problem, const GainFit& fit, const std::vector<double>& sigma) {
  const CurrentResidual residual = current_residual(problem, fit);
  double sum = 0;
  for (Index j = 0; j < residual.norm.size(); ++j)
    sum += std::pow(residual.norm[j] / sigma[static_cast<std::size_t>(j)], 2);
  for (const Fold& prior : gain_priors(problem)) {
    const MatrixXd R = prior.R();
    for (Index r = 0; r < R.rows(); ++r) {
      double off = -R(r, R.cols() - 1);
      for (std::size_t k = 0; k < prior.layout().columns.size(); ++k)
        off += R(r, static_cast<Index>(k)) * fit.values[fit.find(prior.layout().columns[k])];
      sum += off * off;
    }
  }
  return sum;
}

// The better of the two linear fits, gains with the sign of their prior.
GainFit starting_point(const GainProblem& problem, GainOptions options) {
  options.spread = false;
  GainFit best;
  double smallest = INFINITY;
  for (const GainMethod method : {GainMethod::tls, GainMethod::wls}) {
    GainFit fit =
        method == GainMethod::tls ? fit_total(problem, options) : fit_least_squares(problem, method, options);
    if ((fit.gain_values().array() == 0).any() || !fit.values.allFinite()) continue;
    const double found = current_residual(problem, fit).total;
    if (found < smallest) {
      smallest = found;
      best = std::move(fit);
    }
  }
  if (best.columns.empty())
    throw InputError(
        {"no current is related to the motion: the gains are estimated as zero",
         {},
         {},
         "check that the currents belong to these positions, and that the known part of the load acts "
         "on the joints: its mass alone loads none of them"});
  best.method = GainMethod::prediction_error;
  // Steps do not change signs: a gain with the wrong sign by noise starts at its prior.
  for (Index j = 0; j < problem.prior.size(); ++j)
    if (best.values[j] * problem.prior[j] < 0) best.values[j] = problem.prior[j];
  return best;
}

// A step towards `goal`, as far as the cost falls and no gain changes its sign; false when there is none.
bool step_towards(const GainProblem& problem, const VectorXd& goal, const std::vector<double>& sigma,
                  GainFit& fit) {
  const VectorXd from = fit.values;
  const double before = cost(problem, fit, sigma);
  double share = 1;
  for (int k = 0; k < kHalvings; ++k, share /= 2) {
    fit.values = from + share * (goal - from);
    if ((fit.values.head(fit.gains).array() * from.head(fit.gains).array()).minCoeff() <= 0) continue;
    if (cost(problem, fit, sigma) <= before * (1 + 1e-12)) return true;
  }
  fit.values = from;
  return false;
}

}  // namespace

std::vector<Fold> linearized_rows(const GainProblem& problem, const GainFit& at, bool total) {
  std::vector<Fold> folds;
  for (const GainRun& run : problem.runs) {
    const std::vector<Fold> rows = total ? merged_motor_rows(run) : run.motor;
    for (const Fold& fold : rows) folds.push_back(linearized(problem, run, at, fold));
  }
  return folds;
}

CurrentResidual current_residual(const GainProblem& problem, const GainFit& fit) {
  const auto n = static_cast<Index>(problem.gains.size());
  CurrentResidual out;
  out.norm = out.current = out.rows = out.relative = VectorXd::Zero(n);
  for (const GainRun& run : problem.runs) {
    for (const Fold& fold : run.motor) {
      const Index j = gain_of(problem, fold);
      VectorXd combination = VectorXd::Zero(fold.size());
      const auto columns = static_cast<Index>(fold.layout().columns.size());
      for (Index k = 0; k < columns; ++k) {
        bool fixed = false;
        combination[k] = -value_of(problem, run, fit, fold.layout().name(k), fixed) / fit.values[j];
      }
      combination[columns] = 1;
      const MatrixXd R = fold.R();
      out.norm[j] += (R * combination).squaredNorm();
      out.current[j] += R.col(columns).squaredNorm();
      out.rows[j] += static_cast<double>(fold.rows());
    }
  }
  double sum = 0;
  for (Index j = 0; j < n; ++j) {
    const double share = out.current[j] > 0 ? out.norm[j] / out.current[j] : 0;
    sum += share;
    out.relative[j] = std::sqrt(share);
  }
  out.norm = out.norm.cwiseSqrt();
  out.current = out.current.cwiseSqrt();
  out.total = std::sqrt(sum / static_cast<double>(n));
  return out;
}

GainFit fit_prediction_error(const GainProblem& problem, const GainOptions& options) {
  const GainProblem total = with_total_rows(problem);
  GainFit fit = starting_point(problem, options);
  fit.converged = false;
  for (fit.iterations = 0; fit.iterations < options.max_iterations && !fit.converged; ++fit.iterations) {
    const std::vector<Fold> rows = linearized_rows(total, fit, false);
    const Estimate step = least_squares(total, rows, Weighting::by_row_iterated);
    fit.row_sigma = row_deviations(total, step, RowSide::motor);
    GainFit goal = fit;
    put_values(step.columns, step.values, goal);
    const VectorXd before = fit.gain_values();
    const bool moved = step_towards(total, goal.values, fit.row_sigma, fit);
    const double change = (fit.gain_values() - before).cwiseQuotient(before).cwiseAbs().maxCoeff();
    fit.converged = !moved || change < kConverged;
  }
  if (!options.spread && fit.converged) return fit;
  const std::vector<Fold> rows = linearized_rows(problem, fit, false);
  const Estimate last = least_squares(problem, rows, Weighting::by_row_iterated);
  put_classical(last.columns, last.sigma, fit);
  if (options.spread)
    put_spread(last.columns, block_moments(rows, last, gain_priors(problem)), {}, options, fit);
  return fit;
}

}  // namespace steelyard
