// Feasible parameters into the result.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "identify/checks.hpp"
#include "identify/extra_columns.hpp"
#include "identify/friction.hpp"
#include "identify/origin.hpp"
#include "identify/summary.hpp"
#include "steelyard/core/pool.hpp"
#include "steelyard/dynamics/dynamics.hpp"
#include "steelyard/estimate/cross_validation.hpp"

namespace steelyard::inline STEELYARD_ABI {
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

// Raw residuals of the feasible parameters: one more pass over the run.
Prediction predict_feasible(const Setup& setup, const Estimate& estimate, const FeasibleModel& feasible,
                            const RunRows& run) {
  if (!run.has_samples()) return {};
  const Quantities quantities(setup.robot, feasible.columns);
  ExtraPrediction extra = extra_prediction(setup, *run.run->run, estimate);
  std::vector<std::string> names;
  for (const ExtraColumns& group : extra.columns)
    for (const ExtraColumn& column : group.columns) names.push_back(column.name);
  const VectorXd values = lead_values(names, setup.base, quantities, feasible.retrieval.x);
  extra.values.assign(values.begin(), values.end());
  const std::vector<std::string> unnamed(setup.plan.rows.size());
  return predict(run.prepared(), plan_of_run(setup, *run.run->run), feasible.values, unnamed, unnamed, {},
                 extra);
}

// Columns that belong to no link.
std::map<std::string, double> further_columns(const FeasibleModel& feasible, const Quantities& quantities) {
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

KnownWrench known_wrench(const Robot& robot, const FeasibleModel& feasible, std::size_t joint) {
  const ForceInstant& at = feasible.forces[joint];
  const VectorXd bodies = feasible.retrieval.x.head(Index{kParametersPerLink} * robot.size());
  const JointWrench carried = newton_euler(compile(robot), bodies, at.q, at.qd, at.qdd).wrenches[joint];
  KnownWrench wrench{at.run, at.time, {}, {}};
  wrench.value << carried.force, carried.moment;
  for (std::size_t k = 0; k < 6; ++k) wrench.known[k] = known_interval(feasible.wrenches[6 * joint + k]);
  return wrench;
}

// √(Δᵀ C⁻¹ Δ / number) from the squares: φ(x) − min φ = σ² Δᵀ C⁻¹ Δ.
std::optional<double> moved_sigma(const Estimate& fit, const VectorXd& values) {
  if (fit.rank == 0 || !(fit.sigma_rows > 0) || !std::isfinite(fit.sigma_rows)) return std::nullopt;
  const VectorXd moved = fit.factor.columns() * (values - fit.values);
  return finite_or_none(moved.norm() / fit.sigma_rows / std::sqrt(static_cast<double>(fit.rank)));
}

// Refits without each group of blocks, with all constraints.
struct FeasibleRefits {
  std::vector<VectorXd> x;
  std::optional<CrossValidationSummary> left_out;
};

FeasibleRefits refit_feasible(const Setup& setup, const Folded& folded, const Fit& all,
                              const FeasibleModel& feasible) {
  FeasibleRefits out;
  const FeasibleSpec& spec = *setup.study().feasible;
  const HeldOut held = held_out_groups(folded.runs, setup.study().cross.value_or(CrossOptions()));
  if (!has_two_groups(held.groups)) return out;
  const Quantities quantities(setup.robot, feasible.columns);
  EstimateOptions quick = setup.study().estimate;
  quick.conditions = false;
  RetrieveOptions options;
  options.convex.reference = feasible.reference.x;
  options.method = spec.method == FeasibleMethod::annealing ? FeasibleMethod::penalty : spec.method;
  options.conflicts = false;
  options.penalty.random_starts = 0;  // from the relaxation and from the solution on everything
  options.penalty.from_reference = false;
  options.penalty.starts = {feasible.retrieval.x};
  const std::vector<HeldOutPart> parts = held_out_parts(held.blocks, held.groups, training_of(quick));
  out.x.resize(parts.size());
  std::vector<std::vector<Residual>> tested(parts.size());
  parallel_for(static_cast<Index>(parts.size()), setup.threads(), [&](Index g) {
    const HeldOutPart& part = parts[static_cast<std::size_t>(g)];
    const Estimate fit = estimate(part.training, quick, all.priors);
    Objective objective = feasible_objective(spec, fit, setup.base, quantities);
    add_pull(spec, setup.robot, quantities, feasible.reference, feasible.pull.weight, objective);
    VectorXd& x = out.x[static_cast<std::size_t>(g)];
    x = retrieve(objective, feasible.constraints, setup.robot, options).x;
    if (x.size() == 0) x = feasible.retrieval.x;
    const VectorXd values = lead_values(fit.columns, setup.base, quantities, x);
    tested[static_cast<std::size_t>(g)] = residuals(part.tested, fit.columns, values).per_row;
  });
  if (!setup.study().cross) return out;
  out.left_out = {static_cast<int>(parts.size()), held.by,
                  residual_summary(added_by_row(tested), setup.plan, setup.robot)};
  return out;
}

// Wrong constraints pull the parameters away from the data without being violated.
void report_cost(double given, const FeasibleSummary& summary, std::vector<Finding>& findings) {
  constexpr double kCost = 1.5;  // times the unexplained effort
  if (!summary.residual || !(summary.residual->prepared > kCost * given)) return;
  std::vector<std::string> active;
  for (const ConstraintMargin& constraint : summary.constraints)
    if (constraint.active) active.push_back(constraint.name);
  findings.push_back(
      make_finding("costly-constraints", "",
                   fmt::format("feasible parameters leave {:.2f} % of the effort unexplained, {:.2f} % "
                               "without constraints; active constraints: {}",
                               100 * summary.residual->prepared, 100 * given, fmt::join(active, ", "))));
}

// Of the columns themselves, where those of the estimate may stand for combinations.
std::vector<DriveValues> drives_of(const Setup& setup, const FeasibleModel& feasible) {
  Estimate columns;
  columns.columns = feasible.columns;
  columns.values = feasible.retrieval.x;
  columns.column_status.assign(feasible.columns.size(), ColumnStatus::determined);
  std::vector<DriveValues> drives = drive_values(setup.robot, columns);
  add_friction_values(setup, columns, drives);
  add_rest(setup.robot, drives);
  return drives;
}

PullSummary pull_summary(const FeasibleModel& feasible) {
  PullSummary out{
      feasible.pull.weight, feasible.pull.by, {}, feasible.reference.mass(), feasible.pull.candidates};
  for (const ReferenceKind kind : feasible.reference.links) out.references.emplace_back(to_string(kind));
  return out;
}

}  // namespace

Estimate with_feasible_values(const Setup& setup, const Estimate& estimate, const FeasibleModel& feasible) {
  Estimate out = estimate;
  const Quantities quantities(setup.robot, feasible.columns);
  out.values = lead_values(out.columns, setup.base, quantities, feasible.retrieval.x);
  return out;
}

std::vector<LinkValues> link_values(const Robot& robot, const FeasibleModel& feasible) {
  const Quantities quantities(robot, feasible.columns);
  const Retrieval& retrieval = feasible.retrieval;
  std::vector<LinkValues> links;
  for (int k = 0; k < robot.size(); ++k) {
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
  for (std::size_t j = 0; j < feasible.forces.size(); ++j) links[j].wrench = known_wrench(robot, feasible, j);
  const std::vector<LinkOrigin> origins = link_origins(robot, feasible);
  for (std::size_t k = 0; k < origins.size(); ++k) links[k].origin = origins[k];
  return links;
}

FeasibleSummary feasible_outcome(const FeasibleModel& feasible) {
  const Retrieval& retrieval = feasible.retrieval;
  FeasibleSummary summary;
  summary.method = to_string(retrieval.method);
  summary.violated = retrieval.violated;
  if (retrieval.conflict)
    for (const ConflictMember& member : retrieval.conflict->members) summary.conflict.push_back(member.name);
  summary.pull = pull_summary(feasible);
  if (retrieval.x.size() == 0) return summary;
  summary.gap = retrieval.gap ? finite_or_none(*retrieval.gap) : std::nullopt;
  for (const ConstraintState& constraint : retrieval.constraints)
    summary.constraints.push_back({constraint.name, finite_or_none(constraint.margin), constraint.active});
  return summary;
}

std::vector<ResidualSummary> feasible_residuals(const Setup& setup, const Folded& folded,
                                                const Estimate& estimate, const FeasibleModel& feasible,
                                                std::vector<Prediction>* raw) {
  const Estimate fit = with_feasible_values(setup, estimate, feasible);
  std::vector<ResidualSummary> residual;
  for (const RunRows& run : folded.runs) {
    Prediction prediction = predict_feasible(setup, estimate, feasible, run);
    residual.push_back(run_residual(setup, run, fit, prediction));
    if (raw != nullptr) raw->push_back(std::move(prediction));
  }
  return residual;
}

FeasibleCheck check_feasible(const Setup& setup, const Folded& folded, const Fit& fit,
                             const FeasibleModel& feasible) {
  FeasibleCheck check;
  check.summary = feasible_outcome(feasible);
  if (feasible.retrieval.x.size() == 0) return check;
  const Estimate estimate = with_feasible_values(setup, fit.estimated, feasible);
  if (!fit.folds.empty()) {
    std::vector<Prediction> raw;
    check.runs = feasible_residuals(setup, folded, fit.estimated, feasible, &raw);
    // Of all rows as they are, as for the estimate, whatever weights single ones had.
    const std::vector<Residual> by_row =
        residuals(fit_folds(folded.runs), estimate.columns, estimate.values).per_row;
    check.summary.residual =
        residual_summary(by_row, setup.plan, setup.robot, fitted_predictions(folded, raw));
    check.summary.phi2 = 0;
    for (const Residual& row : by_row) *check.summary.phi2 += row.norm * row.norm;
    check.summary.moved_sigma = moved_sigma(fit.estimated, estimate.values);
    check.passes = fitted_passes(folded);
  }
  check.values = estimate;
  check.summary.drives = drives_of(setup, feasible);
  check.summary.columns = further_columns(feasible, Quantities(setup.robot, feasible.columns));
  check.links = link_values(setup.robot, feasible);
  if (!fit.folds.empty() && !fit.with_springs) {
    FeasibleRefits refits = setup.clock().time("feasible cross-validation",
                                               [&] { return refit_feasible(setup, folded, fit, feasible); });
    check.refits = std::move(refits.x);
    check.summary.cross_validation = std::move(refits.left_out);
  }
  const double given = residual_summary(fit.estimated.per_row, setup.plan, setup.robot).prepared;
  report_cost(given, check.summary, check.findings);
  return check;
}

void put_feasible(const Estimate& values, std::vector<BaseValue>& base, FeasibleSummary& summary) {
  summary.phi1 = 0;
  for (BaseValue& value : base) {
    const Index k = values.find(value.name);
    if (k < 0) continue;
    value.feasible = values.values[k];
    *summary.phi1 += std::pow(*value.feasible - value.value, 2);
  }
}

}  // namespace steelyard
