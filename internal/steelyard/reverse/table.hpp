// A table from a controller or simulator: configurations with gravity vector and inertia matrix.
//
// g and M depend on q alone, so that a table may be taken at rest or in motion. Entries that were not given
// are NaN: gravity only, the lower triangle only, or single entries. Inertia matrices are kept as lower
// triangles, row by row: M11, M21, M22, M31, … A Jacobian is a check of the kinematics only, see
// kinematics.hpp.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/core/finding.hpp"
#include "steelyard/reverse/options.hpp"
#include "steelyard/robot/robot.hpp"

namespace steelyard::inline STEELYARD_ABI {

// How numbers were printed: with so many decimals or significant digits of `unit`; 0 digits: with all.
struct Rounding {
  bool significant = false;
  int digits = 0;
  double unit = 1;

  bool is_exact() const { return digits == 0; }
  double step(double value) const;  // from this number to its neighbours; 0 when exact
};

struct ReverseTable {
  std::string name;   // file or source, for messages
  MatrixXd q;         // configurations × joints [rad, m]
  MatrixXd gravity;   // the same size, or no columns
  MatrixXd inertia;   // configurations × n(n+1)/2, or no columns
  MatrixXd jacobian;  // configurations × 6n, row by row (linear, then angular), or no columns
  Rounding q_rounding = {}, gravity_rounding = {}, inertia_rounding = {};

  Index size() const { return q.rows(); }
  Index joints() const { return q.cols(); }
  bool has_gravity() const { return gravity.cols() > 0; }
  bool has_inertia() const { return inertia.cols() > 0; }
  bool has_jacobian() const { return jacobian.cols() > 0; }
};

// Index of M_ij, j ≤ i, in a lower triangle.
inline Index triangle_index(Index i, Index j) {
  return i * (i + 1) / 2 + j;
}

// "g2", "M31" of joints counted from 0; "M10_2" for robots with more than nine joints.
std::string gravity_name(Index i);
std::string inertia_name(Index i, Index j, Index joints);

// One answer of a source: gravity and inertia of one configuration, either may be empty.
struct ReverseAnswer {
  VectorXd gravity;
  MatrixXd inertia;  // joints × joints
};
using ReverseSource = std::function<ReverseAnswer(const VectorXd& q)>;

// Evaluates the source at every row of q. A matrix that is not symmetric to 1e-9 of its largest entry, an
// answer of the wrong size, and one that is not finite are InputErrors with the configuration.
ReverseTable ask(const ReverseSource& source, const MatrixXd& q, const std::string& name);

// A CSV table; empty fields and "nan" are missing entries (not of positions). Gravity: all joints or none.
// Inertia: every column that is there, either triangle; where both are, they must agree to 1e-6 of the
// largest entry. Throws InputError for files and columns as CsvReader does.
ReverseTable read_reverse_table(const std::string& path, int joints, const ReverseColumns& columns = {});

// Rows [first, first + count) of a table.
ReverseTable part_of(const ReverseTable& table, Index first, Index count);

// Impossible entries: inertia matrices that are not positive definite (complete rows only).
std::vector<Finding> examine(const ReverseTable& table);

}  // namespace steelyard
