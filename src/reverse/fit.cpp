#include "steelyard/reverse/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "steelyard/core/error.hpp"
#include "steelyard/reverse/rounding.hpp"
#include "steelyard/reverse/rows.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

// The requested rows that the table has; throws when there are none.
RowSet rows_there(const ReverseTable& table, RowSet wanted) {
  const bool gravity = uses_kind(wanted, RowKind::gravity) && table.has_gravity();
  const bool inertia = uses_kind(wanted, RowKind::inertia) && table.has_inertia();
  if ((!gravity && !inertia) || table.size() == 0)
    throw InputError({fmt::format("{} has no {} entries", table.name, to_string(wanted)), {}, "", ""});
  return gravity && inertia ? RowSet::gravity_inertia : gravity ? RowSet::gravity : RowSet::inertia;
}

void check_component(const std::string& name, Index n) {
  bool known = name == "g" || name == "M";
  for (Index i = 0; i < n && !known; ++i) {
    known = name == gravity_name(i);
    for (Index j = 0; j <= i && !known; ++j) known = name == inertia_name(i, j, n);
  }
  if (!known)
    throw InputError({fmt::format("'{}' is not a component", name),
                      {},
                      fmt::format("g, M, {} to {}, {} to {} (lower triangle)", gravity_name(0),
                                  gravity_name(n - 1), inertia_name(0, 0, n), inertia_name(n - 1, n - 1, n)),
                      ""});
}

void check_options(const ReverseTable& table, const Robot& robot, const ReverseOptions& options) {
  if (table.joints() != robot.dof())
    throw InputError({fmt::format("{} has {} joints, the robot {}", table.name, table.joints(), robot.dof()),
                      {},
                      "one position per joint",
                      ""});
  for (const LeaveOut& rule : options.left_out)
    for (const std::string& name : rule.components) check_component(name, table.joints());
  for (const auto& [name, deviation] : options.deviations) {
    check_component(name, table.joints());
    if (!(deviation > 0) || !std::isfinite(deviation))
      throw InputError(
          {fmt::format("the standard deviation of {} is {}", name, deviation), {}, "above 0", ""});
  }
}

BaseParameters base_of(const Robot& robot, RowSet rows, const ReverseOptions& options) {
  BaseOptions base;
  base.rows = rows;
  base.drives = options.rotor_inertia;
  base.zero = options.zero;
  base.expressions = options.expressions;
  return base_parameters(robot, base);
}

ComponentError error_of(const std::string& name, const VectorXd& predicted, const VectorXd& given) {
  ComponentError error;
  error.name = name;
  for (Index k = 0; k < given.size(); ++k) {
    if (!std::isfinite(given[k])) continue;
    const double difference = std::abs(predicted[k] - given[k]);
    ++error.count;
    error.mean_square += difference * difference;
    error.largest = std::max(error.largest, difference);
    error.scale += given[k] * given[k];
  }
  if (error.count > 0) {
    error.mean_square /= static_cast<double>(error.count);
    error.scale = std::sqrt(error.scale / static_cast<double>(error.count));
  }
  return error;
}

// Weights by component where they are wanted, but none above what the rounding allows: a constant entry leaves
// no residual.
Estimate estimate_folds(TableFolds& folds, const EstimateOptions& options) {
  Estimate out = estimate(folds.folds, options);
  bool too_large = false;
  std::vector<double> weights = out.weights;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    const double largest = 1 / (folds.weights[k] * folds.rounding[k]);
    too_large = too_large || weights[k] > largest;
    weights[k] = std::min(weights[k], largest);
  }
  if (options.weighting != Weighting::none && too_large) {
    for (std::size_t k = 0; k < weights.size(); ++k) folds.folds[k].scale(weights[k]);
    EstimateOptions plain = options;
    plain.weighting = Weighting::none;
    out = estimate(folds.folds, plain);
  } else {
    weights = out.weights;
  }
  for (std::size_t k = 0; k < weights.size(); ++k) folds.weights[k] *= weights[k];
  return out;
}

// Values, standard deviations and covariance of the whole base from those that were free.
void expand(const FreeBase& free, const std::vector<std::string>& leads, ReverseFit& fit) {
  const Index n = static_cast<Index>(leads.size()), kept = free.T.cols();
  VectorXd y = VectorXd::Zero(kept), unknown = VectorXd::Ones(kept);
  MatrixXd covariance = MatrixXd::Zero(kept, kept);
  std::vector<Index> place(static_cast<std::size_t>(kept), -1);
  for (Index k = 0; k < kept; ++k) {
    const Index at =
        fit.estimate.find(leads[static_cast<std::size_t>(free.kept[static_cast<std::size_t>(k)])]);
    place[static_cast<std::size_t>(k)] = at;
    if (at < 0) continue;
    y[k] = fit.estimate.values[at];
    unknown[k] = std::isfinite(fit.estimate.sigma[at]) ? 0 : 1;
  }
  for (Index a = 0; a < kept; ++a)
    for (Index b = 0; b < kept; ++b) {
      const Index i = place[static_cast<std::size_t>(a)], j = place[static_cast<std::size_t>(b)];
      if (i >= 0 && j >= 0 && unknown[a] == 0 && unknown[b] == 0)
        covariance(a, b) = fit.estimate.covariance(i, j);
    }
  fit.values = free.T * y + free.x0;
  fit.covariance = free.T * covariance * free.T.transpose();
  fit.degrees = fit.estimate.degrees;
  fit.sigma = fit.covariance.diagonal().cwiseMax(0).cwiseSqrt();
  const VectorXd open = free.T.cwiseAbs() * unknown;
  for (Index k = 0; k < n; ++k)
    if (open[k] > 0) fit.sigma[k] = kInfinity;
}

// The covariance with rounding as a known part of it.
void add_rounding(const Robot& robot, const ReverseTable& table, const ReverseOptions& options,
                  const FreeBase& free, const TableFolds& folds, ReverseFit& fit) {
  if (table.q_rounding.is_exact() && table.gravity_rounding.is_exact() && table.inertia_rounding.is_exact())
    return;
  if (!(fit.estimate.degrees > 0)) return;
  const RoundingCovariance rounding = rounding_covariance(robot, table, fit, options, free, folds);
  fit.covariance = rounding.unexplained * fit.covariance + free.T * rounding.covariance * free.T.transpose();
  for (Index k = 0; k < fit.sigma.size(); ++k)
    if (std::isfinite(fit.sigma[k])) fit.sigma[k] = std::sqrt(std::max(0.0, fit.covariance(k, k)));
  // The variance of rounding is known; that of the rest has the estimate's degrees of freedom.
  fit.degrees = fit.estimate.degrees / std::max(1e-6, std::pow(rounding.unexplained, 2));
}

}  // namespace

std::vector<std::string> ReverseFit::leads() const {
  std::vector<std::string> names;
  for (const BaseParameter& parameter : base.base) names.push_back(parameter.lead);
  return names;
}

double ReverseFit::relative() const {
  return relative_error(training);
}

double relative_error(const std::vector<ComponentError>& errors) {
  double residual[2] = {0, 0}, entries[2] = {0, 0};
  for (const ComponentError& error : errors) {
    const int kind = error.name.front() == 'g' ? 0 : 1;
    residual[kind] += static_cast<double>(error.count) * error.mean_square;
    entries[kind] += static_cast<double>(error.count) * error.scale * error.scale;
  }
  double largest = 0;
  for (int kind = 0; kind < 2; ++kind)
    if (entries[kind] > 0) largest = std::max(largest, std::sqrt(residual[kind] / entries[kind]));
  return largest;
}

ReverseTable predict_table(const Robot& robot, const std::vector<std::string>& columns,
                           const VectorXd& values, const MatrixXd& q, RowSet rows) {
  const bool rotors = std::any_of(columns.begin(), columns.end(),
                                  [](const std::string& name) { return name.rfind("Ia", 0) == 0; });
  const Robot own = with_rotors(robot, rotors);
  ReverseTable table;
  table.name = "prediction";
  table.q = q;
  const Index count = q.rows(), n = q.cols();
  for (const RowKind kind : {RowKind::gravity, RowKind::inertia}) {
    if (!uses_kind(rows, kind)) continue;
    const Plan plan = plan_of(own, kind, columns);
    MatrixXd& target = kind == RowKind::gravity ? table.gravity : table.inertia;
    target.setZero(count, kind == RowKind::gravity ? n : n * (n + 1) / 2);
    const Index stride = tile_stride(count);
    std::vector<double> tile(static_cast<std::size_t>(stride * plan.stored_columns));
    const Eigen::MatrixXd channels = q;
    evaluate(plan, {channels.data(), nullptr, nullptr, count, count}, tile.data(), stride);
    for (const Row& row : plan.rows) {
      const Index column = kind == RowKind::gravity ? row.i : triangle_index(row.i, row.j);
      for (std::size_t k = 0; k < row.columns.size(); ++k) {
        const std::string& name = plan.columns[static_cast<std::size_t>(row.columns[k])];
        const auto found = std::find(columns.begin(), columns.end(), name) - columns.begin();
        const double* stored = tile.data() + (row.offset + static_cast<Index>(k)) * stride;
        target.col(column) += values[found] * Eigen::Map<const Eigen::VectorXd>(stored, count);
      }
    }
  }
  return table;
}

std::vector<ComponentError> table_errors(const Robot& robot, const std::vector<std::string>& columns,
                                         const VectorXd& values, const ReverseTable& table) {
  const RowSet rows = rows_there(table, RowSet::gravity_inertia);
  const ReverseTable predicted = predict_table(robot, columns, values, table.q, rows);
  const Index n = table.joints();
  std::vector<ComponentError> errors;
  for (Index i = 0; table.has_gravity() && i < n; ++i)
    errors.push_back(error_of(gravity_name(i), predicted.gravity.col(i), table.gravity.col(i)));
  for (Index i = 0; table.has_inertia() && i < n; ++i)
    for (Index j = 0; j <= i; ++j)
      errors.push_back(error_of(inertia_name(i, j, n), predicted.inertia.col(triangle_index(i, j)),
                                table.inertia.col(triangle_index(i, j))));
  return errors;
}

std::vector<ComponentError> fitted_errors(const Robot& robot, ReverseTable table, const ReverseFit& fit) {
  if (!uses_kind(fit.rows, RowKind::gravity)) table.gravity.resize(table.size(), 0);
  if (!uses_kind(fit.rows, RowKind::inertia)) table.inertia.resize(table.size(), 0);
  return table_errors(robot, fit.leads(), fit.values, table);
}

bool shows_anything(const Robot& robot, RowSet rows, ReverseOptions options) {
  options.expressions = false;
  return !base_of(with_rotors(robot, options.rotor_inertia), rows, options).base.empty();
}

ReverseFit fit_table(const Robot& robot, const ReverseTable& table, const ReverseOptions& options) {
  ReverseFit fit;
  fit.rows = rows_there(table, options.rows);
  check_options(table, robot, options);
  const Robot own = with_rotors(robot, options.rotor_inertia);
  fit.base = base_of(own, fit.rows, options);
  const std::vector<std::string> leads = fit.leads();
  if (leads.empty())
    throw InputError({fmt::format("{} rows identify none of the parameters of robot '{}'",
                                  to_string(fit.rows), robot.name),
                      {table.name, 0, 0, {}},
                      "at least one base parameter",
                      "give M(q) as well: gravity parallel to all axes loads no joint"});
  const FreeBase free = eliminate(fit.base, options.relations);
  fit.relations = static_cast<Index>(leads.size()) - free.T.cols();
  TableFolds folds = fold_table(own, table, fit.rows, options, leads);
  if (folds.folds.empty())
    throw InputError({fmt::format("{} has no entries that are used", table.name), {}, "", "leave out less"});
  if (fit.relations > 0)
    for (Fold& fold : folds.folds) fold = in_free_base(fold, free, leads);
  fit.estimate = estimate_folds(folds, options.estimate);
  expand(free, leads, fit);
  add_rounding(own, table, options, free, folds, fit);
  fit.training = fitted_errors(robot, table, fit);
  return fit;
}

}  // namespace steelyard
