#include "steelyard/gains/choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "gains/spread.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/estimate/cross_validation.hpp"
#include "steelyard/estimate/friction.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr double kSurelyDrifted = 4;  // σ; a few dozen numbers are compared

// The blocks of a run that are in the group, or those that are not.
GainRun part_of(const GainRun& run, const std::vector<int>& groups, int group, bool is_test) {
  GainRun part;
  part.label = run.label;
  part.load = run.load;
  part.joint_errors = run.joint_errors;
  part.motor_errors = run.motor_errors;
  part.blocks = run.blocks;
  const Index first = run.joint.empty() ? 0 : run.joint[0].block();
  for (std::size_t f = 0; f < run.joint.size(); ++f) {
    const auto block = static_cast<std::size_t>(run.joint[f].block() - first);
    const bool own = groups[block] == group;
    const bool next = block + 1 < groups.size() ? groups[block + 1] == group : own;
    if (own != is_test || (run.is_gap[f] && next != own)) continue;
    part.joint.push_back(run.joint[f]);
    part.motor.push_back(run.motor[f]);
    part.is_gap.push_back(run.is_gap[f]);
  }
  return part;
}

// The base parameter with the largest relative standard deviation, and its ratio to the smallest.
std::pair<std::string, double> weakest(const GainProblem& problem, const GainFit& fit) {
  std::string name;
  double largest = 0, smallest = INFINITY;
  for (std::size_t k = 0; k < fit.columns.size(); ++k) {
    const auto at = static_cast<Index>(k);
    if (std::find(problem.leads.begin(), problem.leads.end(), fit.columns[k]) == problem.leads.end() ||
        is_tangent(fit.columns[k]))
      continue;
    const double share = fit.values[at] == 0 ? INFINITY : fit.sigma_classical[at] / std::abs(fit.values[at]);
    smallest = std::min(smallest, share);
    if (share > largest) {
      largest = share;
      name = fit.columns[k];
    }
  }
  return {name, smallest > 0 ? largest / smallest : 1};
}

std::string drift_column(const std::string& gain, std::size_t run) {
  return fmt::format("{}@{}", gain, run + 1);
}

// v̂ is −g times the column of the gain, see linearized_rows().
Fold with_drift_column(const Fold& row, const GainFit& fit, std::size_t run) {
  const Layout& from = row.layout();
  const std::string gain = from.columns[0];
  Layout layout = from;
  layout.columns.insert(layout.columns.begin(), drift_column(gain, run));
  MatrixXd C = MatrixXd::Zero(from.size(), from.size() + 1);
  C.rightCols(from.size()).setIdentity();
  C(0, 0) = -fit.values[fit.find(gain)];
  return combine_columns(row, C, layout);
}

}  // namespace

CurrentResidual held_out_residual(const GainProblem& problem, const GainFitter& fit, int groups) {
  if (groups < 2) throw InputError({fmt::format("{} groups of blocks", groups), {}, "at least 2", {}});
  std::vector<std::vector<int>> of_runs;
  for (const GainRun& run : problem.runs) {
    if (run.blocks < groups)
      throw InputError({fmt::format("the run '{}' has {} blocks", run.label, run.blocks),
                        {},
                        fmt::format("at least {}", groups),
                        "use a longer run, or fewer groups"});
    of_runs.push_back(groups_by_index(run.blocks, groups));
  }
  const auto n = static_cast<Index>(problem.gains.size());
  CurrentResidual sum;
  sum.norm = sum.current = sum.rows = sum.relative = VectorXd::Zero(n);
  for (int group = 0; group < groups; ++group) {
    GainProblem training = problem, test = problem;
    for (std::size_t r = 0; r < problem.runs.size(); ++r) {
      training.runs[r] = part_of(problem.runs[r], of_runs[r], group, false);
      test.runs[r] = part_of(problem.runs[r], of_runs[r], group, true);
    }
    const CurrentResidual one = current_residual(test, fit(training));
    sum.norm += one.norm.cwiseAbs2();
    sum.current += one.current.cwiseAbs2();
    sum.rows += one.rows;
  }
  for (Index j = 0; j < n; ++j)
    sum.relative[j] = sum.current[j] > 0 ? std::sqrt(sum.norm[j] / sum.current[j]) : 0;
  sum.total = sum.relative.norm() / std::sqrt(static_cast<double>(n));
  sum.norm = sum.norm.cwiseSqrt();
  sum.current = sum.current.cwiseSqrt();
  return sum;
}

EssentialGains essential_gains(const GainProblem& problem, GainMethod method, const GainOptions& options,
                               double ratio) {
  if (ratio <= 1) throw InputError({fmt::format("the ratio is {}", ratio), {}, "above 1", "30 is typical"});
  EssentialGains out;
  out.problem = problem;
  GainOptions plain = options;
  plain.spread = false;
  for (;;) {
    const auto [name, found] = weakest(problem, fit_gains(out.problem, method, plain));
    out.ratio = found;
    if (!(found > ratio)) break;
    out.problem.without.push_back(name);
    out.eliminated.push_back(name);
  }
  out.fit = fit_gains(out.problem, method, options);
  return out;
}

std::vector<GainDrift> gain_drift(const GainProblem& problem, const GainFit& fit, const GainOptions& options,
                                  double min_change) {
  std::vector<Fold> rows;
  for (std::size_t r = 0; r < problem.runs.size(); ++r) {
    GainProblem one = problem;
    one.runs = {problem.runs[r]};
    for (const Fold& row : linearized_rows(one, fit, false))
      rows.push_back(r == 0 ? row : with_drift_column(row, fit, r));
  }
  const Estimate found = least_squares(problem, rows, Weighting::by_row_iterated);
  const std::vector<Fold> priors = gain_priors(problem);
  const BlockMoments moments = block_moments(rows, found, priors);
  const Bootstrap spread = bootstrap(moments, options.bootstrap);
  std::vector<GainDrift> out;
  for (std::size_t r = 1; r < problem.runs.size(); ++r) {
    for (std::size_t j = 0; j < problem.gains.size(); ++j) {
      const Index at = found.find(drift_column(problem.gains[j], r));
      if (at < 0 || found.column_status[static_cast<std::size_t>(at)] != ColumnStatus::determined) continue;
      GainDrift drift{problem.runs[r].label, problem.joints[j], found.values[at], spread.sigma[at], false};
      drift.significant = std::abs(drift.change) > std::max(kSurelyDrifted * drift.sigma, min_change);
      out.push_back(drift);
    }
  }
  return out;
}

}  // namespace steelyard
