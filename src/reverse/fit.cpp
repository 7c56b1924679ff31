#include "steelyard/reverse/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "steelyard/core/error.hpp"
#include "steelyard/fold/samples.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {
namespace {

std::string component_name(const Row& row) {
  return row.kind == RowKind::gravity ? fmt::format("g{}", row.i + 1)
                                      : fmt::format("M{}{}", row.i + 1, row.j + 1);
}

bool uses(RowSet rows, RowKind kind) {
  return rows == RowSet::gravity_inertia ||
         rows == (kind == RowKind::gravity ? RowSet::gravity : RowSet::inertia);
}

Robot with_rotors(Robot robot, bool rotor_inertia) {
  for (Joint& joint : robot.joints) {
    joint.drive = {};
    joint.drive.rotor_inertia = rotor_inertia;
  }
  return robot;
}

// Entries of the table that belong to a row of a plan.
VectorXd entries_of(const ReverseTable& table, const Row& row) {
  if (row.kind == RowKind::gravity) return table.gravity.col(row.i);
  return table.inertia.col(triangle_index(row.i, row.j));
}

Plan plan_of(const Robot& robot, RowKind kind, const std::vector<std::string>& wanted) {
  PlanOptions options;
  options.kind = kind;
  options.wanted = wanted;
  return make_plan(robot, options);
}

// Folds of all rows of one kind; entries that are missing, and components left out, give none.
void fold_kind(const Robot& robot, const ReverseTable& table, RowKind kind, const ReverseOptions& options,
               const std::vector<std::string>& wanted, std::vector<Fold>& folds) {
  const Plan plan = plan_of(robot, kind, wanted);
  LayoutOptions layout_options;
  layout_options.efforts = {"entry"};
  std::vector<Fold> own;
  for (Layout& layout : row_layouts(plan, robot, layout_options)) own.emplace_back(std::move(layout));
  const Index count = table.size();
  std::vector<VectorXd> efforts;
  std::vector<std::vector<std::uint8_t>> masks;
  std::vector<RowInput> inputs(plan.rows.size());
  for (const Row& row : plan.rows) {
    efforts.push_back(entries_of(table, row));
    std::vector<std::uint8_t>& mask = masks.emplace_back(static_cast<std::size_t>(count), std::uint8_t{1});
    const std::string name = component_name(row);
    const bool out =
        std::find(options.left_out.begin(), options.left_out.end(), name) != options.left_out.end();
    for (Index k = 0; k < count; ++k) {
      double& entry = efforts.back()[k];
      if (!out && std::isfinite(entry)) continue;
      entry = 0;
      mask[static_cast<std::size_t>(k)] = 0;
    }
  }
  for (std::size_t r = 0; r < inputs.size(); ++r) {
    inputs[r].efforts = {efforts[r].data()};
    inputs[r].mask = masks[r].data();
  }
  const Eigen::MatrixXd q = table.q;  // column-major: joint j of configuration k at j * count + k
  fold_samples(plan, {q.data(), nullptr, nullptr, count, count}, inputs, own);
  for (Fold& fold : own)
    if (fold.rows() > 0 && !fold.layout().columns.empty()) folds.push_back(std::move(fold));
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

RowSet rows_of(const ReverseTable& table, RowSet wanted, bool& empty) {
  const bool gravity = uses(wanted, RowKind::gravity) && table.has_gravity();
  const bool inertia = uses(wanted, RowKind::inertia) && table.has_inertia();
  empty = !gravity && !inertia;
  return gravity && inertia ? RowSet::gravity_inertia : gravity ? RowSet::gravity : RowSet::inertia;
}

}  // namespace

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
    if (!uses(rows, kind)) continue;
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
  bool empty = false;
  const RowSet rows = rows_of(table, RowSet::gravity_inertia, empty);
  const ReverseTable predicted = predict_table(robot, columns, values, table.q, rows);
  std::vector<ComponentError> errors;
  for (Index i = 0; table.has_gravity() && i < table.joints(); ++i)
    errors.push_back(error_of(fmt::format("g{}", i + 1), predicted.gravity.col(i), table.gravity.col(i)));
  for (Index i = 0; table.has_inertia() && i < table.joints(); ++i)
    for (Index j = 0; j <= i; ++j)
      errors.push_back(error_of(fmt::format("M{}{}", i + 1, j + 1),
                                predicted.inertia.col(triangle_index(i, j)),
                                table.inertia.col(triangle_index(i, j))));
  return errors;
}

ReverseFit fit_table(const Robot& robot, const ReverseTable& table, const ReverseOptions& options) {
  bool empty = false;
  const RowSet rows = rows_of(table, options.rows, empty);
  if (empty || table.size() == 0)
    throw InputError({fmt::format("{} has no {} entries", table.name, to_string(options.rows)), {}, "", ""});
  if (table.joints() != robot.dof())
    throw InputError({fmt::format("{} has {} joints, the robot {}", table.name, table.joints(), robot.dof()),
                      {},
                      "one position a joint",
                      ""});
  const Robot own = with_rotors(robot, options.rotor_inertia);
  BaseOptions base_options;
  base_options.rows = rows;
  base_options.drives = options.rotor_inertia;
  base_options.zero = options.zero;
  ReverseFit fit;
  fit.base = base_parameters(own, base_options);
  std::vector<std::string> leads;
  for (const BaseParameter& parameter : fit.base.base) leads.push_back(parameter.lead);
  std::vector<Fold> folds;
  for (const RowKind kind : {RowKind::gravity, RowKind::inertia})
    if (uses(rows, kind)) fold_kind(own, table, kind, options, leads, folds);
  fit.estimate = estimate(folds, options.estimate);
  fit.values.setZero(static_cast<Index>(leads.size()));
  fit.sigma.setConstant(static_cast<Index>(leads.size()), kInfinity);
  for (std::size_t k = 0; k < leads.size(); ++k)
    if (const Index found = fit.estimate.find(leads[k]); found >= 0) {
      fit.values[static_cast<Index>(k)] = fit.estimate.values[found];
      fit.sigma[static_cast<Index>(k)] = fit.estimate.sigma[found];
    }
  fit.training = table_errors(robot, fit.estimate.columns, fit.estimate.values, table);
  return fit;
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
