#include "steelyard/fold/layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_set>

#include "steelyard/core/error.hpp"
#include "steelyard/core/suggest.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

std::optional<std::string> text_difference(const char* what, const std::string& a, const std::string& b) {
  if (a == b) return {};
  return fmt::format("{} is {} here and {} there", what, quoted(a), quoted(b));
}

std::optional<std::string> list_difference(const char* what, const std::vector<std::string>& a,
                                           const std::vector<std::string>& b) {
  for (std::size_t k = 0; k < std::min(a.size(), b.size()); ++k) {
    if (a[k] != b[k])
      return fmt::format("{} {} is {} here and {} there", what, k + 1, quoted(a[k]), quoted(b[k]));
  }
  if (a.size() == b.size()) return {};
  const bool longer_here = a.size() > b.size();
  const std::string& extra = longer_here ? a[b.size()] : b[a.size()];
  return fmt::format("{} {}, {}, is only {}", what, std::min(a.size(), b.size()) + 1, quoted(extra),
                     longer_here ? "here" : "there");
}

// Unit of M_ij for joints of these kinds.
std::string inertia_unit(JointKind i, JointKind j) {
  const int turning = (i == JointKind::revolute) + (j == JointKind::revolute);
  return turning == 2 ? "kg*m^2" : turning == 1 ? "kg*m" : "kg";
}

}  // namespace

Index Layout::find(const std::string& name) const {
  const auto column = std::find(columns.begin(), columns.end(), name);
  if (column != columns.end()) return column - columns.begin();
  const auto effort = std::find(efforts.begin(), efforts.end(), name);
  if (effort == efforts.end()) return -1;
  return static_cast<Index>(columns.size()) + (effort - efforts.begin());
}

const std::string& Layout::name(Index k) const {
  const auto index = static_cast<std::size_t>(k);
  return index < columns.size() ? columns[index] : efforts.at(index - columns.size());
}

void Layout::validate() const {
  std::unordered_set<std::string> seen;
  for (Index k = 0; k < size(); ++k) {
    if (name(k).empty())
      throw InputError({fmt::format("column {} of row {} has no name", k + 1, quoted(row)), {}, "", ""});
    if (!seen.insert(name(k)).second) {
      throw InputError(
          {fmt::format("row {} has two columns {}", quoted(row), quoted(name(k))), {}, "unique names", ""});
    }
  }
  if (effort_units.size() != efforts.size()) {
    throw InputError({fmt::format("row {} has {} effort columns and {} units for them", quoted(row),
                                  efforts.size(), effort_units.size()),
                      {},
                      "one unit per effort column",
                      ""});
  }
}

std::optional<std::string> first_difference(const Layout& here, const Layout& there) {
  if (auto d = text_difference("the row", here.row, there.row)) return d;
  if (auto d = list_difference("column", here.columns, there.columns)) return d;
  if (auto d = list_difference("effort column", here.efforts, there.efforts)) return d;
  if (auto d = text_difference("the unit", here.unit, there.unit)) return d;
  if (auto d = list_difference("the unit of effort column", here.effort_units, there.effort_units)) return d;
  if (auto d = text_difference("the robot", here.robot, there.robot)) return d;
  return text_difference("the preparation", here.preparation, there.preparation);
}

std::vector<Layout> row_layouts(const Plan& plan, const Robot& robot, const LayoutOptions& options) {
  const std::vector<int> joints = coordinates(robot).joints;
  const auto joint = [&](int i) -> const Joint& {
    return robot.joints[static_cast<std::size_t>(joints[static_cast<std::size_t>(i)])];
  };
  std::vector<Layout> layouts;
  for (const Row& row : plan.rows) {
    Layout layout;
    const Joint& own = joint(row.i);
    layout.unit = own.kind == JointKind::revolute ? "N*m" : "N";
    layout.row = (row.kind == RowKind::torque ? "torque:" : "gravity:") + own.name;
    if (row.kind == RowKind::inertia) {
      layout.row = "inertia:" + own.name + ":" + joint(row.j).name;
      layout.unit = inertia_unit(own.kind, joint(row.j).kind);
    }
    for (const int c : row.columns) layout.columns.push_back(plan.columns[static_cast<std::size_t>(c)]);
    layout.efforts = options.efforts;
    layout.effort_units = options.effort_units;
    if (layout.effort_units.empty()) layout.effort_units.assign(layout.efforts.size(), layout.unit);
    layout.robot = options.robot;
    layout.preparation = options.preparation;
    layout.validate();
    layouts.push_back(std::move(layout));
  }
  return layouts;
}

Layout union_layout(const std::vector<const Layout*>& layouts) {
  Layout all;
  all.row = "all";
  all.unit = "1";
  std::unordered_set<std::string> seen;
  for (const Layout* layout : layouts) {
    for (const std::string& column : layout->columns) {
      if (seen.insert(column).second) all.columns.push_back(column);
    }
    if (all.efforts.empty()) all.efforts = layout->efforts;
    if (const auto difference = list_difference("effort column", all.efforts, layout->efforts)) {
      throw InputError({fmt::format("rows {} and {} cannot be solved together: {}",
                                    quoted(layouts.front()->row), quoted(layout->row), *difference),
                        {},
                        "the same effort columns in all rows",
                        "combine the effort columns first"});
    }
  }
  all.effort_units.assign(all.efforts.size(), "1");
  return all;
}

}  // namespace steelyard
