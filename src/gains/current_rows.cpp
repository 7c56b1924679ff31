#include "steelyard/gains/current_rows.hpp"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <map>

#include "steelyard/core/error.hpp"
#include "steelyard/core/linear_algebra.hpp"
#include "steelyard/gains/options.hpp"
#include "steelyard/robot/robot.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr double kNoShare = 1e-12;  // entries of the mixing matrices below are zero

std::string in_row(const std::string& column, Index row) {
  return fmt::format("{}@{}", column, row + 1);
}

std::string current_name(Index motor) {
  return fmt::format("v{}", motor + 1);
}

std::size_t at(Index k) {
  return static_cast<std::size_t>(k);
}

MatrixXd mixing_matrix(const Robot& robot, bool ignore_coupling) {
  const Index n = robot.dof();
  if (!robot.transmission.is_given() || ignore_coupling) return MatrixXd::Identity(n, n);
  MatrixXd mix = robot.transmission.matrix.transpose();
  const Coordinates coordinates = steelyard::coordinates(robot);
  for (Index j = 0; j < n; ++j) {
    const double own = robot.transmission.matrix(j, j);
    if (own == 0)
      throw InputError({"the motor does not move its own joint, so its gain at the joint is undefined",
                        {{}, 0, 0, robot.joints[at(coordinates.joints[at(j)])].name},
                        "transmissions whose diagonal has no zero",
                        "list the motors in the order of their joints"});
    mix.col(j) /= own;
  }
  return mix;
}

std::vector<std::string> row_columns(const Plan& plan, Index row) {
  std::vector<std::string> names;
  for (const int k : plan.rows[at(row)].columns) names.push_back(plan.columns[at(k)]);
  return names;
}

// The columns of row `from`, at row `row`.
ExtraColumns columns_of_row(const Plan& plan, Index row, Index from) {
  ExtraColumns extra;
  for (const std::string& name : row_columns(plan, from)) extra.columns.push_back({in_row(name, from), row});
  extra.fill = [plan, from](const SampleBlock& block, Index first, Index count, double* const* out) {
    const Index stride = tile_stride(count);
    std::vector<double> tile(at(stride * plan.stored_columns));
    const Samples samples{block.row(block.find(channel::kPosition)) + first,
                          block.row(block.find(channel::kVelocity)) + first,
                          block.row(block.find(channel::kAcceleration)) + first, block.stride(), count};
    evaluate(plan, samples, tile.data(), stride);
    const Row& own = plan.rows[at(from)];
    for (std::size_t k = 0; k < own.columns.size(); ++k)
      std::copy_n(tile.data() + (own.offset + static_cast<Index>(k)) * stride, count, out[k]);
  };
  return extra;
}

// Names of the columns of a list that belong to a row.
std::vector<std::string> names_in_row(const std::vector<ExtraColumns>& list, Index row) {
  std::vector<std::string> names;
  for (const ExtraColumns& group : list)
    for (const ExtraColumn& column : group.columns)
      if (column.row == row) names.push_back(column.name);
  return names;
}

// The columns of a group that belong to row `from`, at row `row`.
ExtraColumns copied_columns(const ExtraColumns& group, Index row, Index from) {
  ExtraColumns extra;
  std::vector<std::size_t> places;
  for (std::size_t k = 0; k < group.columns.size(); ++k) {
    if (group.columns[k].row != from) continue;
    places.push_back(k);
    extra.columns.push_back({in_row(group.columns[k].name, from), row});
  }
  extra.fill = [group, places](const SampleBlock& block, Index first, Index count, double* const* out) {
    MatrixXd all(count, static_cast<Index>(group.columns.size()));
    std::vector<double*> to;
    for (Index k = 0; k < all.cols(); ++k) to.push_back(all.col(k).data());
    group.fill(block, first, count, to.data());
    for (std::size_t k = 0; k < places.size(); ++k) std::copy_n(to[places[k]], count, out[k]);
  };
  return extra;
}

// Known efforts under names of their own.
std::vector<ExtraColumns> known_columns(const std::vector<ExtraColumns>& known) {
  std::vector<ExtraColumns> list = known;
  int next = 0;
  for (ExtraColumns& group : list)
    for (ExtraColumn& column : group.columns) column.name = fmt::format("{} {}", kKnownEffort, ++next);
  return list;
}

ExtraColumns current_of_motor(Index row, Index motor) {
  return extra_column(current_name(motor), row,
                      [motor](const SampleBlock& block, Index first, Index count, double* out) {
                        std::copy_n(block.row(block.find(channel::kCurrent), motor) + first, count, out);
                      });
}

// Adds `factor` times the raw column to the column `name` of the equation.
class Equation {
 public:
  explicit Equation(const Layout& raw) : raw_(raw) {}

  void add(const std::string& name, const std::string& raw_column, double factor) {
    const auto [found, is_new] = places_.try_emplace(name, static_cast<Index>(names_.size()));
    if (is_new) {
      names_.push_back(name);
      columns_.emplace_back(VectorXd::Zero(raw_.size()));
    }
    const Index from = raw_.find(raw_column);
    require(from >= 0, "a raw column of the row");
    columns_[at(found->second)][from] += factor;
  }

  const std::vector<std::string>& names() const { return names_; }
  MatrixXd matrix() const {
    MatrixXd matrix(raw_.size(), static_cast<Index>(columns_.size()));
    for (std::size_t k = 0; k < columns_.size(); ++k) matrix.col(static_cast<Index>(k)) = columns_[k];
    return matrix;
  }

 private:
  const Layout& raw_;
  std::map<std::string, Index> places_;
  std::vector<std::string> names_;
  std::vector<VectorXd> columns_;
};

// Leads and load of row `from`, times factor; `name_of` gives the raw names.
template <typename NameOf>
void add_row(const CurrentRows& rows, Index from, double factor, const std::string& load,
             const NameOf& name_of, Equation& equation) {
  const std::vector<std::string> loads = load.empty() ? std::vector<std::string>{} : load_columns(load);
  for (const std::string& name : row_columns(rows.plan, from)) {
    if (std::find(rows.leads.begin(), rows.leads.end(), name) != rows.leads.end())
      equation.add(name, name_of(name), factor);
    const auto tool = std::find(rows.tool.begin(), rows.tool.end(), name);
    if (load.empty() || tool == rows.tool.end()) continue;
    const Index k = tool - rows.tool.begin();
    for (Index l = 0; l < rows.load_to_link.cols(); ++l)
      if (rows.load_to_link(k, l) != 0)
        equation.add(loads[at(l)], name_of(name), factor * rows.load_to_link(k, l));
  }
  for (const std::string& name : rows.further[at(from)]) equation.add(name, name_of(name), factor);
  for (const std::string& name : rows.known[at(from)]) equation.add(kKnownEffort, name_of(name), factor);
}

std::shared_ptr<const GearLoads> gears_of(const Plan& plan, const CurrentRowOptions& options) {
  if (options.gears.empty()) return nullptr;
  auto loads = std::make_shared<GearLoads>();
  loads->gears = options.gears;
  loads->values = VectorXd::Zero(static_cast<Index>(plan.columns.size()));
  for (std::size_t k = 0; k < plan.columns.size(); ++k)
    if (const auto found = options.load_values.find(plan.columns[k]); found != options.load_values.end())
      loads->values[static_cast<Index>(k)] = found->second;
  return loads;
}

}  // namespace

const char* to_string(RowSide side) {
  return side == RowSide::joint ? "joint" : "motor";
}

CurrentRows current_rows(const Robot& robot, const BaseParameters& base, const CurrentRowOptions& options) {
  CurrentRows rows;
  rows.mix = mixing_matrix(robot, options.ignore_coupling);
  rows.unmix = PivotedLu(rows.mix).inverse();
  rows.load_to_link = load_to_link(robot);
  for (const int k : base.lead) rows.leads.push_back(base.columns[at(k)]);
  const int tool = tool_link(robot);
  const std::vector<std::string> standard = standard_parameter_names(robot);
  rows.tool.assign(standard.begin() + kParametersPerLink * tool,
                   standard.begin() + kParametersPerLink * (tool + 1));
  PlanOptions plan_options;
  plan_options.wanted = rows.leads;
  for (const std::string& name : rows.tool)
    if (std::find(rows.leads.begin(), rows.leads.end(), name) == rows.leads.end())
      plan_options.wanted.push_back(name);
  rows.plan = make_plan(robot, plan_options);
  rows.plan.gears = gears_of(rows.plan, options);
  const std::vector<int> joints = coordinates(robot).joints;
  for (const Row& row : rows.plan.rows) {
    const int joint = joints[at(row.i)];
    rows.joints.push_back(robot.joints[at(joint)].name);
    rows.gains.push_back(fmt::format("g{}", joint + 1));
  }
  const Index n = rows.mix.rows();
  const std::vector<ExtraColumns> known = known_columns(options.known);
  std::vector<ExtraColumns> beside = options.further;
  beside.insert(beside.end(), known.begin(), known.end());
  for (Index r = 0; r < n; ++r) {
    rows.further.push_back(names_in_row(options.further, r));
    rows.known.push_back(names_in_row(known, r));
    for (const std::string& name : rows.further.back())
      if (std::find(rows.leads.begin(), rows.leads.end(), name) == rows.leads.end())
        rows.leads.push_back(name);
  }
  rows.extra = beside;
  for (Index r = 0; r < n; ++r) {
    for (Index s = 0; s < n; ++s) {
      if (s == r) continue;
      if (std::abs(rows.unmix(r, s)) > kNoShare) {
        rows.extra.push_back(columns_of_row(rows.plan, r, s));
        for (const ExtraColumns& group : beside)
          if (ExtraColumns copied = copied_columns(group, r, s); !copied.columns.empty())
            rows.extra.push_back(std::move(copied));
      }
      if (std::abs(rows.mix(r, s)) > kNoShare) rows.extra.push_back(current_of_motor(r, s));
    }
  }
  LayoutOptions layout;
  layout.efforts = {std::string(channel::kCurrent)};
  layout.effort_units.assign(1, "A");
  layout.preparation = options.preparation;
  rows.layouts = with_extra_columns(row_layouts(rows.plan, robot, layout), rows.extra);
  return rows;
}

FoldPass fold_currents(PreparedRun& run, const CurrentRows& rows, PassOptions options) {
  const Index joints = run.preparation().velocity_below.size();
  if (joints != rows.plan.joints)
    throw InputError(
        {fmt::format("the run '{}' has {} joints, the robot {}", run.label().label, joints, rows.plan.joints),
         {},
         "one column per joint in every channel",
         "check the robot and the columns of the run"});
  options.effort_channels = {std::string(channel::kCurrent)};
  options.extra = rows.extra;
  return fold_run(run, rows.plan, rows.layouts, options);
}

Fold sided_fold(const CurrentRows& rows, Index row, const Fold& fold, const std::string& load, RowSide side) {
  Equation equation(fold.layout());
  const auto own_name = [](const std::string& name) { return name; };
  if (side == RowSide::joint) {
    add_row(rows, row, 1, load, own_name, equation);
  } else {
    for (Index s = 0; s < rows.mix.rows(); ++s) {
      if (s == row)
        add_row(rows, s, rows.unmix(row, s), load, own_name, equation);
      else if (std::abs(rows.unmix(row, s)) > kNoShare)
        add_row(
            rows, s, rows.unmix(row, s), load, [s](const std::string& name) { return in_row(name, s); },
            equation);
    }
  }
  Layout layout = fold.layout();
  layout.row = fmt::format("{}:{}", side == RowSide::joint ? "torque" : "current", rows.joints[at(row)]);
  layout.columns = equation.names();
  layout.efforts.clear();
  layout.effort_units.clear();
  for (Index j = 0; j < rows.mix.rows(); ++j) {
    const double share = side == RowSide::joint ? rows.mix(row, j) : (j == row ? 1.0 : 0.0);
    if (std::abs(share) <= kNoShare) continue;
    equation.add(rows.gains[at(j)], j == row ? std::string(channel::kCurrent) : current_name(j), share);
    layout.efforts.push_back(rows.gains[at(j)]);
    layout.effort_units.emplace_back("A");
  }
  return combine_columns(fold, equation.matrix(), layout);
}

}  // namespace steelyard
