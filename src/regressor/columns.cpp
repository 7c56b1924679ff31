#include "regressor/columns.hpp"

#include <algorithm>
#include <unordered_set>

#include "steelyard/core/error.hpp"
#include "steelyard/core/suggest.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

using simd::DriveOp;

void add_drives(const Robot& robot, std::vector<PlanColumn>& columns) {
  for (int i = 0; i < robot.size(); ++i) {
    const DriveTerms& terms = robot.joints[static_cast<std::size_t>(i)].drive;
    const auto add = [&columns, i](bool declared, const char* stem, DriveOp op) {
      if (declared) columns.push_back({stem + std::to_string(i + 1), -1, 0, {{i, op, i, i}}});
    };
    add(terms.rotor_inertia, "Ia", DriveOp::acceleration);
    add(terms.viscous, "fv", DriveOp::velocity);
    add(terms.coulomb, "fc", DriveOp::sign);
    add(terms.offset, "fo", DriveOp::one);
  }
}

void add_pairs(const Robot& robot, std::vector<PlanColumn>& columns) {
  for (const CoupledPair& pair : robot.pairs) {
    const auto add = [&columns, &pair](const char* stem, DriveOp op) {
      columns.push_back(
          {stem + std::to_string(pair.partner + 1),
           -1,
           0,
           {{pair.joint, op, pair.partner, pair.joint}, {pair.partner, op, pair.joint, pair.partner}}});
    };
    add("Iam", DriveOp::acceleration);
    add("fvm", DriveOp::velocity);
    add("fcm", DriveOp::sign_of_sum);
  }
}

std::vector<PlanColumn> all_columns(const Robot& robot) {
  std::vector<PlanColumn> columns;
  for (int i = 0; i < robot.size(); ++i) {
    for (int k = 0; k < kParametersPerLink; ++k) {
      columns.push_back({kParameterStems[static_cast<std::size_t>(k)] + std::to_string(i + 1), i, k, {}});
    }
  }
  add_drives(robot, columns);
  add_pairs(robot, columns);
  return columns;
}

std::unordered_set<std::string> wanted_names(const std::vector<std::string>& wanted,
                                             const std::vector<PlanColumn>& columns) {
  std::vector<std::string> known;
  for (const PlanColumn& column : columns) known.push_back(column.name);
  const std::unordered_set<std::string> names(known.begin(), known.end());
  for (const std::string& name : wanted) {
    if (!names.count(name)) throw InputError(unknown("column", name, known));
  }
  return {wanted.begin(), wanted.end()};
}

// Inertia rows: Ia_i is a constant on M_ii. Other drive terms are no part of M.
bool turn_into_inertia(PlanColumn& column) {
  if (column.link >= 0) return true;
  if (column.name.rfind("Ia", 0) != 0 || column.actions.size() != 1) return false;
  column.actions[0].op = DriveOp::one;
  return true;
}

bool belongs(PlanColumn& column, const PlanOptions& options) {
  if (column.link < 0 && !options.drives) return false;
  switch (options.kind) {
    case RowKind::torque:
      return true;
    case RowKind::gravity:
      return column.link >= 0;
    case RowKind::inertia:
      return turn_into_inertia(column);
  }
  return false;
}

}  // namespace

std::vector<PlanColumn> plan_columns(const Robot& robot, const PlanOptions& options) {
  std::vector<PlanColumn> columns = all_columns(robot);
  std::unordered_set<std::string> seen;
  for (const PlanColumn& column : columns) {
    if (seen.insert(column.name).second) continue;
    throw InputError({"two coupled pairs give a column named '" + column.name + "'",
                      {},
                      "pairs with different partners",
                      "swap joint and partner of one pair"});
  }
  const std::unordered_set<std::string> wanted = wanted_names(options.wanted, columns);
  std::erase_if(columns, [&](PlanColumn& column) {
    return !belongs(column, options) || (!options.wanted.empty() && !wanted.count(column.name));
  });
  return columns;
}

}  // namespace steelyard
