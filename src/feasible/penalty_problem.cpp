#include "feasible/penalty_problem.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "steelyard/core/error.hpp"
#include "steelyard/feasible/reference.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr double kEqualityTolerance = 1e-9;  // natural scales: an equality cannot hold with a margin

bool is_equality(const Constraint& constraint) {
  return std::visit(
      [](const auto& form) {
        if constexpr (requires { form.lower == form.upper; } &&
                      !std::is_same_v<std::decay_t<decltype(form)>, ComBox>)
          return form.lower == form.upper;
        else
          return false;
      },
      constraint.form);
}

// Nothing where the constraint has no value (0/0 in an expression, the centre of mass of nothing).
std::optional<ConstraintValues> try_evaluate(const Constraint& constraint, const Quantities& quantities,
                                             const VectorXd& x, bool gradients) {
  try {
    ConstraintValues result = evaluate(constraint, quantities, x, gradients);
    if (result.values.hasNaN()) return std::nullopt;
    return result;
  } catch (const InputError&) {
    return std::nullopt;
  }
}

}  // namespace

PenaltyProblem::PenaltyProblem(const Objective& objective, const std::vector<Constraint>& constraints,
                               const Robot& robot, const VectorXd& reference)
    : objective_(objective), quantities_(robot, objective.columns) {
  validate(constraints, quantities_);
  effort_ = objective.effort() > 0 ? objective.effort() : 1;
  quadratic_.setZero(objective.R.cols(), objective.R.cols());
  quadratic_.selfadjointView<Eigen::Lower>().rankUpdate(objective.R.transpose(), 2 / effort_);
  const VectorXd body = reference.size() > 0 ? reference : reference_bodies(robot, quantities_).x;
  scales_ = make_scales(quantities_, body);
  cones_ = make_cones(constraints, quantities_, scales_);
  coordinates_ = separate(Eigen::MatrixXd(0, quantities_.size()), Eigen::VectorXd(0), 0, cones_.equalities,
                          scales_.columns, 1e-10);
  reference_ = to_barycentric(quantities_, body);
  set_box();
  for (const Constraint& constraint : constraints)
    items_.push_back(
        {&constraint, 1, is_equality(constraint), into_box(constraint), is_convex(constraint, quantities_)});
  for (Index k = 0; k < lower_.size(); ++k)
    if (lower_[k] > upper_[k]) lower_[k] = upper_[k] = 0.5 * (lower_[k] + upper_[k]);  // reported as violated
  reference_ = reference_.cwiseMax(lower_).cwiseMin(upper_);
  for (Item& item : items_) {
    item.scale = scale_of(*item.constraint);
    speaks_of_bodies_ = speaks_of_bodies_ || !item.convex;
  }
}

void PenaltyProblem::set_box() {
  const Index n = quantities_.size();
  lower_.setConstant(n, -kInfinity);
  upper_.setConstant(n, kInfinity);
  scale_.setOnes(n);
  for (int link = 0; link < quantities_.links(); ++link) {
    const Index first = Index{kParametersPerLink} * link;
    const double mass = scales_.mass[link], size = scales_.size[link];
    // A body has mass; a tiny one keeps c and I defined.
    lower_[first] = 1e-9 * mass;
    scale_[first] = mass;
    scale_.segment<3>(first + 1).setConstant(size);
    scale_.segment<6>(first + 4).setConstant(mass * size * size);
  }
  for (Index k = quantities_.standard_count(); k < n; ++k) {
    const double norm = objective_.R.col(k).norm();
    if (norm > 0) scale_[k] = 0.1 * std::sqrt(effort_) / norm;  // what explains a tenth of the effort
  }
}

// Bounds on entries of p become its box.
bool PenaltyProblem::into_box(const Constraint& constraint) {
  const auto narrow = [&](Index k, double low, double high) {
    lower_[k] = std::max(lower_[k], low);
    upper_[k] = std::min(upper_[k], high);
    return true;
  };
  if (const auto* box = std::get_if<ComBox>(&constraint.form)) {
    for (int k = 0; k < 3; ++k)
      narrow(Index{kParametersPerLink} * box->link + 1 + k, box->lower[k], box->upper[k]);
    return true;
  }
  const auto* bound = std::get_if<Bound>(&constraint.form);
  if (bound == nullptr) return false;
  const Quantity quantity = quantities_.find(bound->quantity, constraint.name, constraint.place);
  const Index first = Index{kParametersPerLink} * quantity.link;
  if (quantity.kind == QuantityKind::com)
    return narrow(first + 1 + quantity.entry, bound->lower, bound->upper);
  if (quantity.kind == QuantityKind::inertia_com)
    return narrow(first + 4 + quantity.entry, bound->lower, bound->upper);
  const bool of_link = quantity.column < quantities_.standard_count();
  if (of_link && quantity.column % kParametersPerLink != 0) return false;  // mx, Jxx: not entries of p
  return narrow(quantity.column, bound->lower, bound->upper);
}

// How much the constraint's values change when p moves by its natural scales.
double PenaltyProblem::scale_of(const Constraint& constraint) const {
  const auto found = try_evaluate(constraint, quantities_, from_barycentric(quantities_, reference_), true);
  if (!found) return 1;
  double largest = 0;
  for (Index k = 0; k < found->gradients.rows(); ++k) {
    const VectorXd by_p =
        gradient_by_barycentric(quantities_, reference_, found->gradients.row(k).transpose());
    const double size = by_p.cwiseProduct(scale_).norm();
    if (std::isfinite(size)) largest = std::max(largest, size);
  }
  return largest > 0 ? largest : 1;
}

// max(0, ε − g/s) of every value; one +∞ where there is no value.
VectorXd PenaltyProblem::violations(const Item& item, const VectorXd& x, double margin) const {
  const auto found = try_evaluate(*item.constraint, quantities_, x, false);
  if (!found) return VectorXd::Constant(1, kInfinity);
  const double wanted = item.equality ? 0 : margin;
  return (wanted - found->values.array() / item.scale).cwiseMax(0).matrix();
}

double PenaltyProblem::published(const VectorXd& p, double level) const {
  const VectorXd x = from_barycentric(quantities_, p);
  double value = objective_.value(x) / effort_;
  for (const Item& item : items_)
    if (!item.in_box) value += level * violations(item, x, 0).sum();
  return std::isnan(value) ? kInfinity : value;
}

// −∞ where it has no value.
double PenaltyProblem::margin_of(const Item& item, const VectorXd& x) const {
  const auto found = try_evaluate(*item.constraint, quantities_, x, false);
  return found ? found->margin() : -kInfinity;
}

double PenaltyProblem::violation(const VectorXd& x) const {
  double worst = -kInfinity;
  for (const Item& item : items_)
    worst = std::max(worst, -margin_of(item, x) / item.scale - (item.equality ? kEqualityTolerance : 0));
  return worst;
}

std::vector<ConstraintState> PenaltyProblem::states(const VectorXd& x) const {
  std::vector<ConstraintState> result;
  for (const Item& item : items_) {
    ConstraintState state;
    state.name = item.constraint->name;
    state.margin = margin_of(item, x);
    state.active = state.margin <= 1e-6 * item.scale;
    state.convex = item.convex;
    result.push_back(std::move(state));
  }
  return result;
}

std::vector<std::string> PenaltyProblem::violated(const VectorXd& x) const {
  std::vector<std::string> names;
  for (const Item& item : items_)
    if (margin_of(item, x) < -(item.equality ? kEqualityTolerance * item.scale : 0))
      names.push_back(item.constraint->name);
  return names;
}

void PenaltyProblem::require_values(const VectorXd& x) const {
  for (const Item& item : items_)
    if (evaluate(*item.constraint, quantities_, x, false).values.hasNaN())
      throw InputError({"constraint '" + item.constraint->name + "' has no value at any start",
                        item.constraint->place, "a finite value for bodies with mass",
                        "guard divisions with an if-else"});
}

}  // namespace steelyard
