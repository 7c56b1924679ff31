#include "steelyard/reverse/rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "steelyard/core/error.hpp"
#include "steelyard/fold/samples.hpp"
#include "steelyard/reverse/rounding.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr double kLeftOut = std::numeric_limits<double>::quiet_NaN();

bool concerns(const LeaveOut& rule, const std::string& component) {
  return rule.components.empty() ||
         std::any_of(rule.components.begin(), rule.components.end(),
                     [&](const std::string& pattern) { return names_component(pattern, component); });
}

double deviation_of(const ReverseOptions& options, const std::string& component) {
  double deviation = 1;
  for (const auto& [pattern, number] : options.deviations)
    if (names_component(pattern, component)) deviation = number;
  return deviation;
}

void fold_kind(const Robot& robot, const ReverseTable& table, RowKind kind, const ReverseOptions& options,
               const std::vector<std::string>& wanted, TableFolds& out) {
  const Plan plan = plan_of(robot, kind, wanted);
  LayoutOptions layout_options;
  layout_options.efforts = {"entry"};
  std::vector<Fold> own;
  for (Layout& layout : row_layouts(plan, robot, layout_options)) own.emplace_back(std::move(layout));
  const Index count = table.size();
  std::vector<VectorXd> efforts;
  std::vector<std::vector<std::uint8_t>> masks;
  for (const Row& row : plan.rows) {
    VectorXd& effort = efforts.emplace_back(used_entries(table, row, options));
    std::vector<std::uint8_t>& mask = masks.emplace_back(static_cast<std::size_t>(count), std::uint8_t{1});
    for (Index k = 0; k < count; ++k) {
      if (std::isfinite(effort[k])) continue;
      effort[k] = 0;
      mask[static_cast<std::size_t>(k)] = 0;
    }
  }
  std::vector<RowInput> inputs(plan.rows.size());
  for (std::size_t r = 0; r < inputs.size(); ++r) {
    inputs[r].efforts = {efforts[r].data()};
    inputs[r].mask = masks[r].data();
  }
  const Eigen::MatrixXd q = table.q;  // column-major: joint j of configuration k at j * count + k
  fold_samples(plan, {q.data(), nullptr, nullptr, count, count}, inputs, own);
  for (std::size_t r = 0; r < own.size(); ++r) {
    if (own[r].rows() == 0 || own[r].layout().columns.empty()) continue;
    const double deviation = deviation_of(options, component_name(plan.rows[r], table.joints()));
    if (deviation != 1) own[r].scale(1 / deviation);
    out.folds.push_back(std::move(own[r]));
    out.components.push_back(component_name(plan.rows[r], table.joints()));
    out.weights.push_back(1 / deviation);
    out.rounding.push_back(rounding_sigma(table, plan.rows[r], options));
  }
}

}  // namespace

std::string component_name(const Row& row, Index joints) {
  return row.kind == RowKind::gravity ? gravity_name(row.i) : inertia_name(row.i, row.j, joints);
}

bool uses_kind(RowSet rows, RowKind kind) {
  return rows == RowSet::gravity_inertia ||
         rows == (kind == RowKind::gravity ? RowSet::gravity : RowSet::inertia);
}

bool names_component(const std::string& pattern, const std::string& component) {
  return pattern == component || (pattern.size() == 1 && component.rfind(pattern, 0) == 0);
}

Robot with_rotors(Robot robot, bool rotor_inertia) {
  for (Joint& joint : robot.joints) {
    joint.drive = {};
    joint.drive.rotor_inertia = rotor_inertia;
  }
  robot.pairs.clear();
  return robot;
}

Plan plan_of(const Robot& robot, RowKind kind, const std::vector<std::string>& wanted) {
  PlanOptions options;
  options.kind = kind;
  options.wanted = wanted;
  return make_plan(robot, options);
}

VectorXd used_entries(const ReverseTable& table, const Row& row, const ReverseOptions& options) {
  VectorXd entries = row.kind == RowKind::gravity ? VectorXd(table.gravity.col(row.i))
                                                  : VectorXd(table.inertia.col(triangle_index(row.i, row.j)));
  const std::string name = component_name(row, table.joints());
  for (const LeaveOut& rule : options.left_out) {
    if (!concerns(rule, name)) continue;
    for (Index k = 0; k < table.size(); ++k) {
      const VectorXd q = table.q.row(k).transpose();
      if (rule.is_everywhere || rule.where.evaluate({q.data(), static_cast<std::size_t>(q.size())}) != 0)
        entries[k] = kLeftOut;
    }
  }
  return entries;
}

TableFolds fold_table(const Robot& robot, const ReverseTable& table, RowSet rows,
                      const ReverseOptions& options, const std::vector<std::string>& wanted) {
  TableFolds out;
  for (const RowKind kind : {RowKind::gravity, RowKind::inertia})
    if (uses_kind(rows, kind)) fold_kind(robot, table, kind, options, wanted, out);
  return out;
}

}  // namespace steelyard
