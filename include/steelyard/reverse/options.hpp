// How g(q) and M(q) are read and fitted (docs/reverse.md).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/core/expression.hpp"
#include "steelyard/estimate/estimate.hpp"
#include "steelyard/regressor/base.hpp"

namespace steelyard::inline STEELYARD_ABI {

// Order of numbered columns that hold one triangle.
enum class TriangleOrder { rows, columns };  // M11 M21 M22 M31 …; M11 M21 … Mn1 M22 …

struct ReverseColumns {
  std::string position = "q{j}";  // {j}: joint number from 1
  std::string gravity = "g{j}";   // empty: the table has none
  // {i}, {j}: row and column from 1; or {k}: numbered from 1, n² of them or a lower triangle in `order`;
  // empty: the table has none.
  std::string inertia = "M{i}{j}";
  std::string jacobian = "J{i}{j}";  // {i}: 1 to 3 linear, 4 to 6 angular; all or none
  TriangleOrder order = TriangleOrder::rows;
  double position_scale = 1;  // to rad or m
  double gravity_scale = 1;   // to N·m or N
  double inertia_scale = 1;
};

struct SourceLimits {
  double seconds = 10;  // of one answer, the first one included

  void validate() const;  // throws InputError
};

// Entries that are not used.
struct LeaveOut {
  std::vector<std::string> components;  // "g1", "M76"; "g" and "M" are all of a kind; empty: every one
  Expression where;                     // of q1 … qn; a default one: at all configurations
  bool is_everywhere = true;            // without `where`
};

// Σ terms = value.
struct Relation {
  std::vector<std::pair<std::string, double>> terms;  // machine names of standard parameters
  double value = 0;
};

struct ReverseOptions {
  RowSet rows = RowSet::gravity_inertia;  // gravity, inertia or both; what the table lacks is left out
  bool rotor_inertia = false;
  std::vector<std::string> zero;  // parameters known to be zero, by machine name
  std::vector<Relation> relations;
  std::vector<LeaveOut> left_out;
  // Standard deviation of components, the last one that names a component ("g", "M", "M11") counts; others:
  // 1. Beside them weights by row are relative.
  std::vector<std::pair<std::string, double>> deviations;
  bool expressions = true;  // of the base
  EstimateOptions estimate;
};

}  // namespace steelyard
