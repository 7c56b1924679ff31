// The model behind a table of g(q) and M(q): base parameters by least squares on its entries.
//
//   g(q) = Y_g(q) π,   M(q) = Y_M(q) π (lower triangle),   both in one base π_b = K π
//
// Gravity alone, inertia alone or both together; a base that holds for all rows that were used. A vendor's M
// may hold rotor inertias: `rotor_inertia` adds a column Ia for every joint, which only a diagonal entry
// sees. Entries may be weighted by their deviation (all gravity entries, all inertia entries, or found from
// the residuals). Tables are exact or rounded, never noisy in q: residuals far above the rounding mean
// another robot, another joint order or other units.
#pragma once

#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/estimate/estimate.hpp"
#include "steelyard/regressor/base.hpp"
#include "steelyard/reverse/table.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

struct ReverseOptions {
  RowSet rows = RowSet::gravity_inertia;  // gravity, inertia or both; what the table lacks is left out
  bool rotor_inertia = false;
  std::vector<std::string> zero;      // parameters known to be zero, by machine name
  std::vector<std::string> left_out;  // components that are not used: "g1", "M76"
  EstimateOptions estimate;
};

struct ComponentError {
  std::string name;  // "g2", "M31"
  Index count = 0;
  double mean_square = 0;
  double largest = 0;
  double scale = 0;  // RMS of the entries themselves
};

struct ReverseFit {
  BaseParameters base;
  Estimate estimate;  // columns are the leads of the base, in the order of the rows
  VectorXd values;    // in the order of the base
  VectorXd sigma;
  std::vector<ComponentError> training;
};

// Throws InputError for tables without the rows asked for, and with too few configurations for any estimate.
ReverseFit fit_table(const Robot& robot, const ReverseTable& table, const ReverseOptions& options = {});

// Errors of given base values on a table, one entry a component that is there.
std::vector<ComponentError> table_errors(const Robot& robot, const std::vector<std::string>& columns,
                                         const VectorXd& values, const ReverseTable& table);

// The table that base values predict at the configurations of another one.
ReverseTable predict_table(const Robot& robot, const std::vector<std::string>& columns,
                           const VectorXd& values, const MatrixXd& q, RowSet rows);

}  // namespace STEELYARD_ABI
}  // namespace steelyard
