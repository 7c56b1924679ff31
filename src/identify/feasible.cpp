#include "identify/feasible.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "steelyard/core/finding.hpp"
#include "steelyard/core/statistics.hpp"
#include "steelyard/feasible/plausible.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

RetrieveOptions retrieve_options(const Setup& setup, const FeasibleSpec& spec, const Reference& reference) {
  RetrieveOptions options;
  options.convex.reference = reference.x;
  options.method = spec.method;
  options.penalty.random_starts = spec.random_starts;
  options.penalty.seed = setup.study().seed;
  options.penalty.threads = setup.threads();
  return options;
}

void report_problems(const Quantities& quantities, FeasibleModel& feasible) {
  const Retrieval& retrieval = feasible.retrieval;
  if (retrieval.conflict && !retrieval.conflict->feasible)
    feasible.findings.push_back(make_finding("infeasible-constraints", "", retrieval.conflict->brief()));
  else if (!retrieval.feasible)
    feasible.findings.push_back(
        make_finding("broken-constraint", "",
                     fmt::format("the feasible parameters violate {}: {}",
                                 retrieval.violated.size() == 1 ? "a constraint" : "constraints",
                                 fmt::join(retrieval.violated, ", "))));
  for (std::size_t k = 0; k < feasible.reference.links.size(); ++k)
    if (feasible.reference.links[k] == ReferenceKind::repaired)
      feasible.findings.push_back(make_finding("repaired-reference",
                                               quantities.link_name(static_cast<int>(k)),
                                               "the robot's file gives an inertia that no body has"));
  if (retrieval.x.size() == 0) return;
  for (const Implausible& one : implausible_links(quantities, feasible.reference, retrieval.x))
    feasible.findings.push_back(
        make_finding("implausible-links", one.link < 0 ? "" : quantities.link_name(one.link), one.what));
}

// Variance by blocks over that of independent rows; at least 1.
double robust_factor(const Estimate& estimate, const VectorXd& block_sigma) {
  double largest = 1;
  for (Index k = 0; k < std::min(block_sigma.size(), estimate.sigma.size()); ++k) {
    const double ratio = block_sigma[k] / estimate.sigma[k];
    if (std::isfinite(ratio)) largest = std::max(largest, ratio * ratio);
  }
  return largest;
}

// {x feasible: φ ≤ min + χ² σ²}: rows are divided by their standard deviation up to a factor, which the
// estimate knows; rows of one block are not independent, which the variance of blocks accounts for. Base
// values are always weighted by their covariance here.
std::vector<ProvenInterval> prove_intervals(const Setup& setup, const Estimate& estimate,
                                            const VectorXd& block_sigma, const FeasibleModel& feasible,
                                            const Quantities& quantities,
                                            const std::vector<Functional>& asked) {
  const FeasibleSpec& spec = *setup.study().feasible;
  ProvenOptions options;
  options.points = false;
  options.threads = setup.threads();
  options.allowance = chi_squared_quantile(*spec.interval_level, 1) * robust_factor(estimate, block_sigma);
  const auto prove = [&](const Objective& objective) {
    return proven_intervals(objective, feasible.constraints, setup.robot, asked, options);
  };
  if (spec.fits_torque) {
    const double sigma = std::isfinite(estimate.sigma_rows) ? estimate.sigma_rows : 0;
    options.allowance *= sigma * sigma;
    return prove(feasible.objective);
  }
  CoefficientOptions weighted = spec.coefficients;
  weighted.by_covariance = true;
  return prove(coefficient_objective(estimate, setup.base, quantities, weighted).objective);
}

// Parameters, centres of mass and, when requested, the forces in the joints, all from one smallest φ.
void prove(const Setup& setup, const Runs& runs, const Estimate& estimate, const VectorXd& block_sigma,
           const Quantities& quantities, FeasibleModel& feasible) {
  const FeasibleSpec& spec = *setup.study().feasible;
  std::vector<Functional> asked = all_functionals(quantities);
  const auto parameters = static_cast<std::ptrdiff_t>(asked.size());
  if (spec.joint_forces) {
    std::vector<PreparedRun*> logs;
    for (const OpenRun& run : runs)
      if (run.is_fit() && run.prepared) logs.push_back(run.prepared.get());
    feasible.forces =
        largest_forces(setup.robot, logs, feasible.retrieval.x.head(quantities.standard_count()));
    for (std::size_t j = 0; j < feasible.forces.size(); ++j) {
      const ForceInstant& at = feasible.forces[j];
      const std::vector<Functional> all = wrench_functionals(setup.robot, quantities, at.q, at.qd, at.qdd);
      const auto first = all.begin() + static_cast<std::ptrdiff_t>(6 * j);
      asked.insert(asked.end(), first, first + 6);
    }
  }
  feasible.intervals = prove_intervals(setup, estimate, block_sigma, feasible, quantities, asked);
  feasible.wrenches.assign(feasible.intervals.begin() + parameters, feasible.intervals.end());
  feasible.intervals.resize(static_cast<std::size_t>(parameters));
}

bool has_bounds(const Robot& robot) {
  return std::any_of(robot.joints.begin(), robot.joints.end(),
                     [](const Joint& joint) { return !joint.bounds.empty(); });
}

// Bodies without needles, unless the study's own constraints make that expensive.
std::vector<Constraint> round_where_possible(const Setup& setup, const FeasibleModel& feasible) {
  if (feasible.pull.masses.size() == 0) return feasible.constraints;
  std::vector<Constraint> round =
      without_needles(feasible.constraints, feasible.reference, feasible.pull.masses);
  if (setup.study().feasible->constraints.empty() && !has_bounds(setup.robot)) return round;
  ConvexOptions options;
  options.reference = feasible.reference.x;
  const ConvexSolution with = solve_convex(feasible.objective, round, setup.robot, options);
  const ConvexSolution without = solve_convex(feasible.objective, feasible.constraints, setup.robot, options);
  constexpr double kCost = 0.02;  // of φ
  const bool cheap = with.usable() && without.usable() && with.value <= (1 + kCost) * without.value;
  return cheap ? round : feasible.constraints;
}

}  // namespace

Objective feasible_objective(const FeasibleSpec& spec, const Estimate& estimate, const BaseParameters& base,
                             const Quantities& quantities) {
  return spec.fits_torque ? torque_objective(estimate.factor, base, quantities)
                          : coefficient_objective(estimate, base, quantities, spec.coefficients).objective;
}

VectorXd lead_values(const std::vector<std::string>& wanted, const BaseParameters& base,
                     const Quantities& quantities, const VectorXd& x) {
  VectorXd values = VectorXd::Zero(static_cast<Index>(wanted.size()));
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    double& value = values[static_cast<Index>(k)];
    Index row = -1;
    for (std::size_t b = 0; b < base.lead.size(); ++b)
      if (base.columns[static_cast<std::size_t>(base.lead[b])] == wanted[k]) row = static_cast<Index>(b);
    if (row < 0) {
      if (const Index column = quantities.column(wanted[k]); column >= 0) value = x[column];
      continue;
    }
    for (std::size_t c = 0; c < base.columns.size(); ++c)
      if (const Index column = quantities.column(base.columns[c]); column >= 0)
        value += base.K(row, static_cast<Index>(c)) * x[column];
  }
  return values;
}

std::optional<FeasibleModel> retrieve_feasible(const Setup& setup, const Runs& runs,
                                               const std::vector<RunRows>& rows, const Fit& fit,
                                               const VectorXd& block_sigma) {
  if (!setup.study().feasible) return std::nullopt;
  const FeasibleSpec& spec = *setup.study().feasible;
  const Estimate& estimate = fit.estimated;
  return setup.clock().time("feasible parameters", [&] {
    const Quantities quantities = quantities_of(setup.robot, setup.base, estimate.factor);
    FeasibleModel feasible;
    feasible.columns = quantities.columns();
    feasible.constraints = make_constraints(setup, spec, quantities);
    feasible.objective = feasible_objective(spec, estimate, setup.base, quantities);
    feasible.reference = study_reference(spec, setup.robot, quantities, feasible.objective);
    feasible.pull = choose_pull(setup, fit.with_springs ? std::vector<RunRows>() : rows, fit, quantities,
                                feasible.reference, feasible.objective);
    feasible.data_rows = feasible.objective.R.rows();
    add_pull(spec, setup.robot, quantities, feasible.reference, feasible.pull.weight, feasible.objective);
    feasible.constraints = round_where_possible(setup, feasible);
    feasible.retrieval = retrieve(feasible.objective, feasible.constraints, setup.robot,
                                  retrieve_options(setup, spec, feasible.reference));
    if (feasible.retrieval.x.size() > 0)
      feasible.values = lead_values(setup.plan.columns, setup.base, quantities, feasible.retrieval.x);
    if (spec.interval_level && feasible.retrieval.x.size() > 0)
      prove(setup, runs, estimate, block_sigma, quantities, feasible);
    report_problems(quantities, feasible);
    return feasible;
  });
}

}  // namespace steelyard
