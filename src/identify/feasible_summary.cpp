// Feasible parameters into the result.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "identify/extra_columns.hpp"
#include "identify/feasible.hpp"
#include "identify/folded.hpp"
#include "identify/state.hpp"
#include "identify/summary.hpp"
#include "steelyard/dynamics/dynamics.hpp"
#include "steelyard/estimate/cross_validation.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {
namespace {

Vector6 six_of(const Matrix3& m) {
  Vector6 six;
  six << m(0, 0), m(0, 1), m(0, 2), m(1, 1), m(1, 2), m(2, 2);
  return six;
}

// "mx3" → 2; −1 for columns that belong to no link.
int link_of(const std::string& name, const Quantities& quantities) {
  const Quantity quantity = quantities.find(name);
  return quantity.kind == QuantityKind::linear && quantity.column >= quantities.standard_count()
             ? -1
             : quantity.link;
}

// The estimate with the values of the feasible parameters.
Estimate with_feasible_values(const StudyState& state, const FeasibleState& feasible) {
  Estimate estimate = state.estimated;
  const Quantities quantities(state.robot, feasible.columns);
  estimate.values = lead_values(estimate.columns, state.base, quantities, feasible.retrieval.x);
  return estimate;
}

// Raw residuals of the feasible parameters: one more pass over the run.
Prediction predict_feasible(const StudyState& state, const FeasibleState& feasible, const RunState& run) {
  if (!run.prepared) return {};
  const Quantities quantities(state.robot, feasible.columns);
  ExtraPrediction extra = extra_prediction(state, *run.run);
  std::vector<std::string> names;
  for (const ExtraColumns& group : extra.columns)
    for (const ExtraColumn& column : group.columns) names.push_back(column.name);
  const VectorXd values = lead_values(names, state.base, quantities, feasible.retrieval.x);
  extra.values.assign(values.begin(), values.end());
  const std::vector<std::string> unnamed(state.plan.rows.size());
  return predict(*run.prepared, state.plan, feasible.values, unnamed, unnamed, {}, extra);
}

// Columns that belong to no link.
std::map<std::string, double> further_columns(const FeasibleState& feasible, const Quantities& quantities) {
  std::map<std::string, double> columns;
  for (Index k = quantities.standard_count(); k < quantities.size(); ++k)
    columns[quantities.columns()[static_cast<std::size_t>(k)]] = feasible.retrieval.x[k];
  return columns;
}

KnownInterval known_interval(const ProvenInterval& interval) {
  KnownInterval known;
  if (!interval.lower.infinite) known.lower = finite_or_none(interval.lower.outer);
  if (!interval.upper.infinite) known.upper = finite_or_none(interval.upper.outer);
  return known;
}

KnownWrench known_wrench(const StudyState& state, const FeasibleState& feasible, std::size_t joint) {
  const ForceInstant& at = feasible.forces[joint];
  const VectorXd bodies = feasible.retrieval.x.head(Index{kParametersPerLink} * state.robot.size());
  const JointWrench carried = newton_euler(compile(state.robot), bodies, at.q, at.qd, at.qdd).wrenches[joint];
  KnownWrench wrench{at.run, at.time, {}, {}};
  wrench.value << carried.force, carried.moment;
  for (std::size_t k = 0; k < 6; ++k) wrench.known[k] = known_interval(feasible.wrenches[6 * joint + k]);
  return wrench;
}

// √(Δᵀ C⁻¹ Δ / number) from the squares: φ(x) − min φ = σ² Δᵀ C⁻¹ Δ.
std::optional<double> moved_sigma(const StudyState& state, const VectorXd& values) {
  const Estimate& fit = state.estimated;
  if (fit.rank == 0 || !(fit.sigma_rows > 0) || !std::isfinite(fit.sigma_rows)) return std::nullopt;
  const VectorXd moved = fit.factor.columns() * (values - fit.values);
  return finite_or_none(moved.norm() / fit.sigma_rows / std::sqrt(static_cast<double>(fit.rank)));
}

CrossValidationSummary cross_validate_feasible(const StudyState& state, const FeasibleState& feasible) {
  const FeasibleSpec& spec = *state.study.feasible;
  const HeldOut held = held_out_groups(state.runs, *state.study.cross);
  const Quantities quantities(state.robot, feasible.columns);
  EstimateOptions quick = state.study.estimate;
  quick.conditions = false;
  RetrieveOptions options;
  options.method = spec.method == FeasibleMethod::annealing ? FeasibleMethod::penalty : spec.method;
  options.penalty.random_starts = 0;  // from the relaxation and from the solution on everything
  options.penalty.from_reference = false;
  options.penalty.starts = {feasible.retrieval.x};
  const CrossValidation found = cross_validate(held.blocks, held.groups, [&](std::span<const Fold> training) {
    const Estimate fit = estimate(training, quick, state.priors);
    const Objective objective = feasible_objective(spec, fit, state.base, state.robot, quantities);
    const Retrieval part = retrieve(objective, feasible.constraints, state.robot, options);
    const VectorXd& x = part.x.size() > 0 ? part.x : feasible.retrieval.x;
    return FittedColumns{fit.columns, lead_values(fit.columns, state.base, quantities, x), fit.status};
  });
  return {static_cast<int>(found.groups), held.by, residual_summary(found.per_row, state.plan, state.robot)};
}

ResidualSummary residual_of(const StudyState& state, const Estimate& fit, const RunState& run,
                            const Prediction& raw) {
  std::vector<const Prediction*> one;
  if (run.prepared) one.push_back(&raw);
  return residual_summary(residuals(run.folds->folds.total(), fit.columns, fit.values).per_row, state.plan,
                          state.robot, one);
}

void summarize_residuals(StudyState& state, const FeasibleState& feasible, FeasibleSummary& summary) {
  const Estimate fit = with_feasible_values(state, feasible);
  std::vector<Prediction> raw;
  raw.reserve(state.runs.size());
  std::vector<const Prediction*> fitted;
  for (std::size_t r = 0; r < state.runs.size(); ++r) {
    raw.push_back(predict_feasible(state, feasible, state.runs[r]));
    state.result.validation[r].feasible = residual_of(state, fit, state.runs[r], raw.back());
    if (!state.runs[r].is_fit() || fits_folds(state)) continue;
    fitted.push_back(&raw.back());
    state.result.passes = std::max(state.result.passes, state.runs[r].prepared->passes());
  }
  // Of all rows as they are, as for the estimate, whatever weights single ones had.
  summary.residual = residual_summary(residuals(fit_folds(state.runs), fit.columns, fit.values).per_row,
                                      state.plan, state.robot, fitted);
  summary.moved_sigma = moved_sigma(state, fit.values);
}

// Constraints that are wrong pull the parameters away from the data, without being broken themselves.
void find_cost(const FeasibleSummary& summary, Result& result) {
  constexpr double kCost = 1.5;  // times the unexplained effort
  const double given = result.residual.prepared;
  if (!summary.residual || !(summary.residual->prepared > kCost * given)) return;
  std::vector<std::string> active;
  for (const ConstraintMargin& constraint : summary.constraints)
    if (constraint.active) active.push_back(constraint.name);
  result.findings.push_back(
      make_finding("costly-constraints", "",
                   fmt::format("feasible parameters leave {:.2f} % of the effort unexplained, {:.2f} % is "
                               "possible without constraints; those that hold them: {}",
                               100 * summary.residual->prepared, 100 * given, fmt::join(active, ", "))));
}

}  // namespace

std::vector<LinkValues> link_values(const StudyState& state, const FeasibleState& feasible) {
  const Quantities quantities(state.robot, feasible.columns);
  const Retrieval& retrieval = feasible.retrieval;
  std::vector<LinkValues> links;
  for (int k = 0; k < state.robot.size(); ++k) {
    const Index first = Index{kParametersPerLink} * k;
    const Inertia body = Inertia::from_standard(retrieval.x.segment<kParametersPerLink>(first));
    LinkValues& link = links.emplace_back();
    link.name = quantities.link_name(k);
    link.mass = body.mass();
    const bool massless = body.mass() == 0;  // a centre of nothing: the origin
    link.com = massless ? Vector3(Vector3::Zero()) : body.com();
    link.inertia_com = six_of(massless ? body.inertia_origin() : body.inertia_com());
    link.inertia_origin = six_of(body.inertia_origin());
    link.margin = body_margin(body, quantities.length(k));
    for (Index c = first; c < first + kParametersPerLink; ++c)
      if (retrieval.chosen[static_cast<std::size_t>(c)])
        link.chosen.push_back(quantities.columns()[static_cast<std::size_t>(c)]);
  }
  for (const ProvenInterval& interval : feasible.intervals) {
    const int k = link_of(interval.name, quantities);
    if (k < 0) continue;
    links[static_cast<std::size_t>(k)].known[interval.name] = known_interval(interval);
  }
  for (std::size_t j = 0; j < feasible.forces.size(); ++j) links[j].wrench = known_wrench(state, feasible, j);
  return links;
}

ResidualSummary feasible_residual(const StudyState& state, const FeasibleState& feasible,
                                  const RunState& run) {
  return residual_of(state, with_feasible_values(state, feasible), run,
                     predict_feasible(state, feasible, run));
}

FeasibleSummary feasible_outcome(const FeasibleState& feasible) {
  const Retrieval& retrieval = feasible.retrieval;
  FeasibleSummary summary;
  summary.method = to_string(retrieval.method);
  summary.violated = retrieval.violated;
  if (retrieval.conflict)
    for (const ConflictMember& member : retrieval.conflict->members) summary.conflict.push_back(member.name);
  if (retrieval.x.size() == 0) return summary;
  summary.gap = retrieval.gap ? finite_or_none(*retrieval.gap) : std::nullopt;
  for (const ConstraintState& constraint : retrieval.constraints)
    summary.constraints.push_back({constraint.name, finite_or_none(constraint.margin), constraint.active});
  return summary;
}

void summarize_feasible(StudyState& state) {
  if (!state.feasible) return;
  const FeasibleState& feasible = *state.feasible;
  FeasibleSummary summary = feasible_outcome(feasible);
  if (feasible.retrieval.x.size() > 0) {
    if (!state.folds.empty()) summarize_residuals(state, feasible, summary);
    summary.drives = drive_values(state.robot, with_feasible_values(state, feasible));
    summary.columns = further_columns(feasible, Quantities(state.robot, feasible.columns));
    state.result.links = link_values(state, feasible);
    if (state.study.cross && state.result.cross_validation)
      summary.cross_validation = state.clock.time("feasible cross-validation",
                                                  [&] { return cross_validate_feasible(state, feasible); });
    find_cost(summary, state.result);
  }
  state.result.feasible = std::move(summary);
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
