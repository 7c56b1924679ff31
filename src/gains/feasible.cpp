#include "steelyard/gains/feasible.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gains/spread.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/feasible/convex.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr double kSettled = 1e-6;  // relative change of the gains
constexpr double kMinGain = 1e-3;  // of the plain gain: the bound that keeps its sign
constexpr int kMaxSteps = 20;

// The robot with one more link for every load that a run carries: names of columns and bodies only.
struct WithLoads {
  Robot robot;
  std::vector<const Load*> loads;

  // "m_plate" to "m7"; other names stay.
  std::string standard_name(const std::string& column) const {
    for (std::size_t l = 0; l < loads.size(); ++l) {
      const std::vector<std::string> names = load_columns(loads[l]->name);
      for (std::size_t k = 0; k < names.size(); ++k)
        if (names[k] == column)
          return fmt::format("{}{}", kParameterStems[k], robot.joints.size() - loads.size() + l + 1);
    }
    return column;
  }
};

WithLoads with_loads(const GainProblem& problem, const Robot& robot) {
  WithLoads out;
  out.robot = robot;
  for (const Load& load : problem.loads) {
    const bool carried = std::any_of(problem.runs.begin(), problem.runs.end(),
                                     [&](const GainRun& run) { return run.load == load.name; });
    if (!carried) continue;
    Joint joint;
    joint.name = joint.link = "load " + load.name;
    joint.parent = robot.size() - 1;
    out.robot.joints.push_back(joint);
    out.loads.push_back(&load);
  }
  return out;
}

// All ten parameters of every load as unknowns: fixed ones become equalities.
GainProblem with_free_loads(const GainProblem& problem) {
  GainProblem out = problem;
  for (Load& load : out.loads)
    for (int k = 0; k < kParametersPerLink; ++k)
      if (load.is_fixed(k)) load.parameters[static_cast<std::size_t>(k)] = {};
  return out;
}

double wanted_sign(const GainProblem& problem, const Robot& robot, const GainFit& plain, Index j) {
  if (problem.prior.size() > 0) return problem.prior[j] > 0 ? 1 : -1;
  if (robot.transmission.is_given()) return robot.transmission.matrix(j, j) > 0 ? 1 : -1;
  return plain.values[j] > 0 ? 1 : -1;
}

std::vector<Constraint> all_constraints(const GainProblem& problem, const WithLoads& bodies,
                                        const Robot& robot, const Quantities& quantities,
                                        const GainFit& plain) {
  std::vector<Constraint> constraints = physical_constraints(bodies.robot, quantities);
  for (std::size_t j = 0; j < problem.gains.size(); ++j) {
    const double sign = wanted_sign(problem, robot, plain, static_cast<Index>(j));
    const double smallest = kMinGain * std::abs(plain.values[static_cast<Index>(j)]);
    Bound bound{problem.gains[j]};
    (sign > 0 ? bound.lower : bound.upper) = sign * smallest;
    constraints.push_back({"sign of " + problem.gains[j], bound, {}});
  }
  for (const Load* load : bodies.loads) {
    const std::vector<std::string> names = load_columns(load->name);
    for (int k = 0; k < kParametersPerLink; ++k) {
      if (!load->is_fixed(k)) continue;
      const std::string& name = names[static_cast<std::size_t>(k)];
      const double value = load->fixed_values()[k];
      constraints.push_back({"given " + name, Bound{bodies.standard_name(name), value, value}, {}});
    }
  }
  return constraints;
}

// The factor of a step with the loads under their standard names.
Fold renamed(const Fold& factor, const WithLoads& bodies) {
  auto layout = std::make_shared<Layout>(factor.layout());
  for (std::string& column : layout->columns) column = bodies.standard_name(column);
  return fold_of_triangle(layout, factor.R(), factor.rows());
}

// Base parameters, gains and loads of x into the fit of the problem with free loads.
void take(const Quantities& quantities, const WithLoads& bodies, const BaseParameters& base,
          const VectorXd& x, GainFit& fit) {
  VectorXd standard = VectorXd::Zero(static_cast<Index>(base.columns.size()));
  for (std::size_t k = 0; k < base.columns.size(); ++k)
    if (const Index at = quantities.column(base.columns[k]); at >= 0) standard[static_cast<Index>(k)] = x[at];
  const VectorXd values = base.K * standard;
  for (std::size_t k = 0; k < fit.columns.size(); ++k) {
    const auto lead = std::find_if(base.lead.begin(), base.lead.end(), [&](int index) {
      return base.columns[static_cast<std::size_t>(index)] == fit.columns[k];
    });
    const Index at = quantities.column(bodies.standard_name(fit.columns[k]));
    if (lead != base.lead.end())
      fit.values[static_cast<Index>(k)] = values[lead - base.lead.begin()];
    else if (at >= 0)
      fit.values[static_cast<Index>(k)] = x[at];
  }
}

GainFit starting_fit(const GainProblem& problem, const GainProblem& free, const GainFit& plain) {
  GainFit fit = empty_fit(free, GainMethod::feasible);
  put_values(plain.columns, plain.values, fit);
  for (const Load& load : problem.loads) {
    const std::vector<std::string> names = load_columns(load.name);
    for (int k = 0; k < kParametersPerLink; ++k)
      if (const Index at = fit.find(names[static_cast<std::size_t>(k)]); at >= 0 && load.is_fixed(k))
        fit.values[at] = load.fixed_values()[k];
  }
  return fit;
}

}  // namespace

FeasibleGains fit_feasible_gains(const GainProblem& problem, const Robot& robot, const BaseParameters& base,
                                 const GainFit& plain, const GainOptions& options) {
  options.validate();
  const WithLoads bodies = with_loads(problem, robot);
  const GainProblem free = with_free_loads(problem);
  GainFit at = starting_fit(problem, free, plain);
  FeasibleGains out;
  out.fit = plain;
  out.fit.method = GainMethod::feasible;
  out.fit.converged = false;
  for (int step = 0; step < kMaxSteps && !out.fit.converged; ++step) {
    const Estimate linear = least_squares(free, linearized_rows(free, at, true), Weighting::by_row_iterated);
    const Fold factor = renamed(linear.factor, bodies);
    const Quantities quantities = quantities_of(bodies.robot, base, factor);
    const Objective objective = torque_objective(factor, base, quantities);
    const ConvexSolution solution =
        solve_convex(objective, all_constraints(problem, bodies, robot, quantities, plain), bodies.robot);
    if (!solution.usable()) return out;
    const VectorXd before = at.gain_values();
    take(quantities, bodies, base, solution.x, at);
    out.feasible = true;
    out.columns = solution.columns;
    out.x = solution.x;
    out.active.clear();
    for (const ConstraintState& state : solution.constraints)
      if (state.active && state.name.rfind("given ", 0) != 0) out.active.push_back(state.name);
    out.fit.iterations = step + 1;
    out.fit.converged = (at.gain_values() - before).cwiseQuotient(before).cwiseAbs().maxCoeff() < kSettled;
  }
  const VectorXd moved = plain.values;
  put_values(at.columns, at.values, out.fit);
  if (out.fit.sigma.size() > 0) {
    out.fit.lower += out.fit.values - moved;
    out.fit.upper += out.fit.values - moved;
  }
  return out;
}

}  // namespace steelyard
