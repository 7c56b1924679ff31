// Formulas of the regrouping: every entry of K as a short polynomial in the robot's lengths and angles, where
// it has one.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "regressor/base/geometry.hpp"
#include "regressor/base/polynomial.hpp"
#include "regressor/base/structure.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace base {

// Formulas of the entries of K, by lead column and column, at the robot's snapped geometry.
struct Formulas {
  std::set<int> leads;                                   // rows the formulas speak of
  std::map<std::pair<int, int>, Polynomial> polynomial;  // entries with a formula
  std::set<std::pair<int, int>> none;                    // entries that are not zero and have none

  // Nothing: no formula. A polynomial without terms: zero.
  std::optional<Polynomial> find(int lead, int column) const {
    if (!leads.contains(lead) || none.contains({lead, column})) return std::nullopt;
    const auto found = polynomial.find({lead, column});
    return found == polynomial.end() ? Polynomial{} : found->second;
  }
};

Formulas derive_formulas(const Robot& robot, const Geometry& geometry, const BaseOptions& options,
                         const std::vector<Column>& columns, const Structure& own);

}  // namespace base
}  // namespace steelyard
