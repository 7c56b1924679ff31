#include "regressor/base/stack.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "steelyard/core/error.hpp"
#include "steelyard/core/linear_algebra.hpp"
#include "steelyard/core/random.hpp"
#include "steelyard/robot/robot.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace base {
namespace {

constexpr const char* kLoadSuffix = "_load";

std::vector<RowKind> kinds_of(RowSet rows) {
  switch (rows) {
    case RowSet::torque:
      return {RowKind::torque};
    case RowSet::gravity:
      return {RowKind::gravity};
    case RowSet::inertia:
      return {RowKind::inertia};
    case RowSet::gravity_inertia:
      return {RowKind::gravity, RowKind::inertia};
  }
  return {};
}

Column inertial_column(const std::string& suffix, int k, int link, int block) {
  Column column;
  column.name = std::string(kParameterStems[k]) + suffix;
  column.degree = k == 0 ? 0 : k < 4 ? 1 : 2;
  column.link = link;
  // Inertias of all links, then first moments, then masses; `block` puts the payload after everything else.
  column.priority = (block * 3 + (2 - column.degree)) * 1'000'000 + link * 10 + k;
  return column;
}

Column drive_column(const Robot& robot, const std::string& name, int position) {
  Column column;
  column.name = name;
  column.inertial = false;
  const int number = std::stoi(name.substr(name.find_first_of("0123456789")));
  column.link = std::clamp(number - 1, 0, robot.size() - 1);
  const bool prismatic = robot.joints[column.link].kind == JointKind::prismatic;
  column.degree = prismatic ? 0 : 2;
  column.priority = 3 * 1'000'000 + position;
  return column;
}

double reach(const Robot& robot) {
  return std::max(link_lengths(robot).sum(), 1e-2);
}

struct RandomMotion {
  MatrixXd q, qd, qdd;  // samples × coordinates
};

// Positions within the limits (a turn either way, a metre either way where there are none).
RandomMotion draw_motion(const Robot& robot, Index samples, std::uint64_t seed, std::uint64_t series) {
  const std::vector<int> joints = coordinates(robot).joints;
  const auto n = static_cast<Index>(joints.size());
  RandomMotion motion{MatrixXd(samples, n), MatrixXd(samples, n), MatrixXd(samples, n)};
  Random random(seed, "samples of base parameters", series);
  for (Index s = 0; s < samples; ++s) {
    for (Index i = 0; i < n; ++i) {
      const Joint& joint = robot.joints[static_cast<std::size_t>(joints[static_cast<std::size_t>(i)])];
      const double half = joint.kind == JointKind::revolute ? M_PI : 1.0;
      const bool bounded = std::isfinite(joint.limits.lower) && std::isfinite(joint.limits.upper);
      motion.q(s, i) =
          bounded ? random.uniform(joint.limits.lower, joint.limits.upper) : random.uniform(-half, half);
      motion.qd(s, i) = random.uniform(-1, 1);
      motion.qdd(s, i) = random.uniform(-1, 1);
    }
  }
  return motion;
}

// Column of each parameter name in the stack; −1 for those left out.
std::vector<int> places(const std::vector<std::string>& names, const std::vector<Column>& columns) {
  std::map<std::string, int> place;
  for (std::size_t k = 0; k < columns.size(); ++k) place[columns[k].name] = static_cast<int>(k);
  std::vector<int> result;
  for (const std::string& name : names) {
    const auto found = place.find(name);
    result.push_back(found == place.end() ? -1 : found->second);
  }
  return result;
}

// Rows of one kind on all samples: samples·rows × plan columns.
MatrixXd dense_rows(const Plan& plan, const RandomMotion& motion) {
  const Index samples = motion.q.rows();
  const Index stride = (samples + 7) / 8 * 8;
  std::vector<double> tile(static_cast<std::size_t>(stride) * plan.stored_columns);
  evaluate(plan, {motion.q.data(), motion.qd.data(), motion.qdd.data(), samples, samples}, tile.data(),
           stride);
  MatrixXd dense = MatrixXd::Zero(samples * static_cast<Index>(plan.rows.size()), plan.columns.size());
  for (std::size_t r = 0; r < plan.rows.size(); ++r) {
    const Row& row = plan.rows[r];
    for (std::size_t k = 0; k < row.columns.size(); ++k)
      dense.col(row.columns[k]).segment(samples * r, samples) =
          Eigen::Map<const VectorXd>(tile.data() + (row.offset + k) * stride, samples);
  }
  return dense;
}

MatrixXd select(const MatrixXd& dense, const std::vector<int>& place, Index width) {
  MatrixXd result = MatrixXd::Zero(dense.rows(), width);
  for (std::size_t k = 0; k < place.size(); ++k)
    if (place[k] >= 0) result.col(place[k]) = dense.col(k);
  return result;
}

// Appends what a load adds to rows that already hold the robot's own columns.
void add_load(const Robot& robot, const MatrixXd& dense, const Plan& plan, const std::vector<Column>& columns,
              MatrixXd& rows) {
  const int link = tool_link(robot);
  require(plan.columns.size() >= 10 * static_cast<std::size_t>(link + 1),
          "plan without the tool link's columns");
  const MatrixXd load = dense.middleCols(10 * link, 10) * load_to_link(robot);
  std::vector<std::string> names;
  for (int k = 0; k < 10; ++k) names.push_back(std::string(kParameterStems[k]) + kLoadSuffix);
  const std::vector<int> place = places(names, columns);
  for (int k = 0; k < 10; ++k)
    if (place[k] >= 0) rows.col(place[k]) = load.col(k);
}

MatrixXd stacked(const Robot& robot, const BaseOptions& options, const std::vector<Column>& columns,
                 const RandomMotion& motion) {
  std::vector<MatrixXd> blocks;
  for (RowKind kind : kinds_of(options.rows)) {
    PlanOptions plan_options;
    plan_options.kind = kind;
    plan_options.drives = options.drives;
    const Plan plan = make_plan(robot, plan_options);
    const MatrixXd dense = dense_rows(plan, motion);
    MatrixXd rows = select(dense, places(plan.columns, columns), static_cast<Index>(columns.size()));
    if (options.payload == PayloadRuns::unloaded_and_loaded) blocks.push_back(rows);
    if (options.payload != PayloadRuns::none) add_load(robot, dense, plan, columns, rows);
    blocks.push_back(std::move(rows));
  }
  Index height = 0;
  for (const MatrixXd& block : blocks) height += block.rows();
  MatrixXd all(height, static_cast<Index>(columns.size()));
  height = 0;
  for (const MatrixXd& block : blocks) {
    all.middleRows(height, block.rows()) = block;
    height += block.rows();
  }
  return all;
}

// Largest size an entry of the column could have by its unit: torque rows see m·L·(L + g), mc·(L + g), J·1.
double natural_scale(const Column& column, double length, double gravity) {
  if (!column.inertial) return 1;
  const double acceleration = length + gravity;
  return column.degree == 0 ? length * acceleration : column.degree == 1 ? acceleration : 1.0;
}

}  // namespace

std::vector<Column> columns_of(const Robot& robot, const BaseOptions& options) {
  std::vector<Column> columns;
  std::set<std::string> seen;
  for (RowKind kind : kinds_of(options.rows)) {
    PlanOptions plan_options;
    plan_options.kind = kind;
    plan_options.drives = options.drives;
    const std::vector<std::string> names = make_plan(robot, plan_options).columns;
    for (std::size_t k = 0; k < names.size(); ++k) {
      if (!seen.insert(names[k]).second) continue;
      const int link = static_cast<int>(k) / 10;
      if (link < robot.size())
        columns.push_back(inertial_column(std::to_string(link + 1), static_cast<int>(k) % 10, link, 0));
      else
        columns.push_back(drive_column(robot, names[k], static_cast<int>(k)));
    }
  }
  if (options.payload != PayloadRuns::none)
    for (int k = 0; k < 10; ++k) {
      columns.push_back(inertial_column(kLoadSuffix, k, robot.size(), 2));
      columns.back().inertial = true;
    }
  const std::set<std::string> zero(options.zero.begin(), options.zero.end());
  std::erase_if(columns, [&](const Column& column) { return zero.contains(column.name); });
  return columns;
}

RandomRows factor_of_random_rows(const Robot& robot, const BaseOptions& options,
                                 const std::vector<Column>& columns, std::uint64_t series) {
  // Twice as many rows as columns even for the last link, which only its own joint's path of rows can see;
  // the shortest path in a tree has one row, which needs ten samples for ten columns.
  const Index samples =
      std::max<Index>(24, 2 * static_cast<Index>(columns.size()) / std::max(1, robot.size()) + 12);
  const RandomMotion motion = draw_motion(robot, samples, options.seed, series);
  const MatrixXd rows = stacked(robot, options, columns, motion);

  RandomRows result;
  const double length = reach(robot);
  result.magnitude.resize(rows.cols());
  for (Index k = 0; k < rows.cols(); ++k)
    result.magnitude[k] =
        rows.col(k).cwiseAbs().maxCoeff() / natural_scale(columns[k], length, robot.gravity.norm());
  result.R = Qr(rows).R();
  return result;
}

}  // namespace base
}  // namespace steelyard
