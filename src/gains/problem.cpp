#include "steelyard/gains/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "steelyard/core/error.hpp"
#include "steelyard/core/suggest.hpp"
#include "steelyard/fold/prior.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr double kSameData = 1e-9;  // of the Gram of currents and base columns

bool contains(const std::vector<std::string>& list, const std::string& name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

// Gram of the columns two runs have in common, one after the other over the rows.
MatrixXd common_gram(const GainProblem& problem, const GainRun& run, std::size_t row) {
  std::vector<std::string> names = problem.leads;
  names.insert(names.end(), problem.gains.begin(), problem.gains.end());
  MatrixXd gram = MatrixXd::Zero(static_cast<Index>(names.size()), static_cast<Index>(names.size()));
  for (const Fold& fold : run.joint) {
    if (fold.layout().row != "torque:" + problem.joints[row] || fold.depth() == 0) continue;
    MatrixXd R = MatrixXd::Zero(fold.depth(), gram.cols());
    const MatrixXd all = fold.R();
    for (std::size_t k = 0; k < names.size(); ++k)
      if (const Index at = fold.layout().find(names[k]); at >= 0) R.col(static_cast<Index>(k)) = all.col(at);
    gram += R.transpose() * R;
  }
  return gram;
}

bool same_data(const GainProblem& problem, const GainRun& a, const GainRun& b) {
  for (std::size_t row = 0; row < problem.joints.size(); ++row) {
    const MatrixXd one = common_gram(problem, a, row), two = common_gram(problem, b, row);
    if ((one - two).norm() > kSameData * one.norm()) return false;
  }
  return true;
}

void check_scale(const GainProblem& problem, const std::set<std::string>& carried) {
  for (const Load& load : problem.loads) {
    if (carried.count(load.name) == 0) continue;
    for (const LoadParameter& parameter : load.parameters)
      if (parameter.is_known() && *parameter.value != 0) return;
  }
  for (Index j = 0; j < problem.prior_sigma.size(); ++j)
    if (std::isfinite(problem.prior_sigma[j])) return;
  throw InputError({"no load is known, so the scale of the gains is undetermined",
                    {},
                    "at least the mass of one load",
                    "weigh a load and give its mass"});
}

void check_priors(const GainProblem& problem) {
  const auto n = static_cast<Index>(problem.gains.size());
  const bool fits = (problem.prior.size() == 0 || problem.prior.size() == n) &&
                    problem.prior_sigma.size() == problem.prior.size();
  if (!fits)
    throw InputError({fmt::format("{} a-priori gains with {} standard deviations", problem.prior.size(),
                                  problem.prior_sigma.size()),
                      {},
                      fmt::format("{} of each, or none", n),
                      {}});
  for (Index j = 0; j < problem.prior.size(); ++j) {
    if (std::isfinite(problem.prior[j]) && problem.prior[j] != 0 && problem.prior_sigma[j] > 0) continue;
    throw InputError({fmt::format("the a-priori gain is {} with standard deviation {}", problem.prior[j],
                                  problem.prior_sigma[j]),
                      {{}, 0, 0, problem.joints[static_cast<std::size_t>(j)]},
                      "finite, not zero, with a positive standard deviation",
                      {}});
  }
}

Layout unknowns_layout(const GainProblem& problem) {
  Layout layout;
  layout.row = "prior";
  layout.unit = "1";
  layout.columns = gain_columns(problem);
  layout.efforts = {"load"};
  layout.effort_units = {"1"};
  return layout;
}

}  // namespace

GainRun gain_run(const CurrentRows& rows, const FoldPass& pass, const RunLabel& label, Index first_block,
                 const RunErrors* errors) {
  GainRun run;
  run.label = label.label;
  run.load = label.payload;
  const auto add = [&](const std::vector<Fold>& folds, Index block, bool is_gap) {
    for (std::size_t r = 0; r < folds.size(); ++r) {
      if (folds[r].depth() == 0) continue;
      for (const RowSide side : {RowSide::joint, RowSide::motor}) {
        Fold fold = sided_fold(rows, static_cast<Index>(r), folds[r], run.load, side);
        fold.set_block(first_block + block);
        (side == RowSide::joint ? run.joint : run.motor).push_back(std::move(fold));
      }
      run.is_gap.push_back(is_gap);
    }
  };
  for (const FoldBlock& block : pass.folds.blocks()) {
    add(block.core, run.blocks, false);
    add(block.gap, run.blocks, true);
    ++run.blocks;
  }
  if (!errors) return run;
  const std::vector<Fold> total = pass.folds.total();
  const auto of_all_rows = [&](std::size_t r, const Fold& error, RowSide side) {
    Fold fold = sided_fold(rows, static_cast<Index>(r), error, run.load, side);
    fold.scale(std::sqrt(std::max<double>(1, static_cast<double>(total[r].rows()))));
    return fold;
  };
  for (const RowSide side : {RowSide::joint, RowSide::motor}) {
    RowErrors& own = side == RowSide::joint ? run.joint_errors : run.motor_errors;
    for (std::size_t r = 0; r < errors->rows.smooth.size(); ++r) {
      own.smooth.push_back(of_all_rows(r, errors->rows.smooth[r], side));
      own.jumps.push_back(of_all_rows(r, errors->rows.jumps[r], side));
    }
  }
  return run;
}

GainProblem gain_problem(const CurrentRows& rows, std::vector<Load> loads, std::vector<GainRun> runs) {
  GainProblem problem;
  problem.joints = rows.joints;
  problem.gains = rows.gains;
  problem.leads = rows.leads;
  problem.loads = std::move(loads);
  problem.runs = std::move(runs);
  return problem;
}

void validate(const GainProblem& problem) {
  validate(std::span<const Load>(problem.loads));
  check_priors(problem);
  std::set<std::string> states, carried;
  std::vector<std::string> names;
  for (const Load& load : problem.loads) names.push_back(load.name);
  for (const GainRun& run : problem.runs) {
    if (run.joint.empty())
      throw InputError({fmt::format("no samples are left of the run '{}'", run.label),
                        {},
                        {},
                        "use a longer run, or reject less of it"});
    if (!run.load.empty() && !contains(names, run.load)) throw InputError(unknown("load", run.load, names));
    states.insert(run.load);
    if (!run.load.empty()) carried.insert(run.load);
  }
  if (carried.empty())
    throw InputError({fmt::format("none of the {} runs carries a load", problem.runs.size()),
                      {},
                      "one run without load and one with a weighed load",
                      "record the same motion with a load, and give it as `payload` of the run"});
  if (states.size() < 2)
    throw InputError(
        {fmt::format("all runs carry the load '{}', which cannot be distinguished from the last link",
                     *states.begin()),
         {},
         "one run without load and one with a weighed load",
         "record a run without load"});
  check_scale(problem, carried);
  for (std::size_t a = 0; a < problem.runs.size(); ++a)
    for (std::size_t b = a + 1; b < problem.runs.size(); ++b)
      if (problem.runs[a].load != problem.runs[b].load &&
          same_data(problem, problem.runs[a], problem.runs[b]))
        throw InputError({fmt::format("the runs '{}' and '{}' are the same data, but with different loads",
                                      problem.runs[a].label, problem.runs[b].label),
                          {},
                          {},
                          "check which file belongs to which run"});
}

const Load* load_of(const GainProblem& problem, const GainRun& run) {
  for (const Load& load : problem.loads)
    if (load.name == run.load) return &load;
  return nullptr;
}

std::vector<std::string> gain_columns(const GainProblem& problem) {
  std::vector<std::string> columns = problem.gains;
  for (const std::string& lead : problem.leads)
    if (!contains(problem.without, lead)) columns.push_back(lead);
  for (const Load& load : problem.loads) {
    const bool carried = std::any_of(problem.runs.begin(), problem.runs.end(),
                                     [&](const GainRun& run) { return run.load == load.name; });
    const std::vector<std::string> names = load_columns(load.name);
    for (int k = 0; carried && k < kParametersPerLink; ++k)
      if (!load.is_fixed(k)) columns.push_back(names[static_cast<std::size_t>(k)]);
  }
  return columns;
}

Fold gain_equation(const GainProblem& problem, const GainRun& run, const Fold& row) {
  const Layout& from = row.layout();
  const Load* load = load_of(problem, run);
  const std::vector<std::string> loads = load ? load_columns(load->name) : std::vector<std::string>{};
  Layout layout = from;
  layout.columns.clear();
  layout.efforts = {"load"};
  layout.effort_units = {from.unit};
  MatrixXd C = MatrixXd::Zero(from.size(), from.size() + 1);
  VectorXd known = VectorXd::Zero(from.size());
  Index next = 0;
  const auto take = [&](Index column, double sign) {
    layout.columns.push_back(from.name(column));
    C(column, next++) = sign;
  };
  const auto columns = static_cast<Index>(from.columns.size());
  for (Index k = columns; k < from.size(); ++k) take(k, 1);
  for (Index k = 0; k < columns; ++k) {
    if (from.name(k) == kKnownEffort) {
      known[k] = 1;
      continue;
    }
    const auto found = std::find(loads.begin(), loads.end(), from.name(k));
    if (found == loads.end()) {
      if (!contains(problem.without, from.name(k))) take(k, -1);
      continue;
    }
    const auto parameter = static_cast<int>(found - loads.begin());
    if (load->is_fixed(parameter))
      known[k] = load->fixed_values()[parameter];
    else
      take(k, -1);
  }
  C.col(next) = known;
  return combine_columns(row, C.leftCols(next + 1), layout);
}

std::vector<Fold> gain_equations(const GainProblem& problem, RowSide side) {
  std::vector<Fold> folds;
  for (const GainRun& run : problem.runs)
    for (const Fold& fold : run.rows(side)) folds.push_back(gain_equation(problem, run, fold));
  return folds;
}

std::vector<Fold> gain_priors(const GainProblem& problem) {
  const Layout layout = unknowns_layout(problem);
  std::vector<Fold> priors;
  for (Index j = 0; j < problem.prior.size(); ++j)
    if (std::isfinite(problem.prior_sigma[j]))
      priors.push_back(known_value(layout, problem.gains[static_cast<std::size_t>(j)], problem.prior[j],
                                   problem.prior_sigma[j]));
  for (const Load& load : problem.loads) {
    const std::vector<std::string> names = load_columns(load.name);
    for (std::size_t k = 0; k < names.size(); ++k)
      if (load.parameters[k].is_known() && !load.is_fixed(static_cast<int>(k)) && layout.find(names[k]) >= 0)
        priors.push_back(known_value(layout, names[k], *load.parameters[k].value, load.parameters[k].sigma));
  }
  return priors;
}

}  // namespace steelyard
