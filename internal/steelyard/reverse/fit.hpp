// The model behind a table of g(q) and M(q): base parameters by least squares on its entries.
//
//   g(q) = Y_g(q) π,   M(q) = Y_M(q) π (lower triangle),   both in one base π_b = K π
//
// Gravity alone, inertia alone or both together; a base that holds for all rows that were used. A vendor's M
// may hold rotor inertias: `rotor_inertia` adds a column Ia for every joint, which only a diagonal entry
// sees. Entries may be weighted by given standard deviations, or by those that the residuals show
// (Weighting::by_row: every component g_i, M_ij its own). Tables are exact or rounded, never noisy in q:
// residuals far above the rounding mean another robot, another joint order or other units (examine.hpp).
//
// What is known beforehand: parameters that are zero (their columns are left out), and linear relations
// aᵀπ = c between standard parameters. Of relations A π = c the base sees those combinations lᵀA with
// lᵀA N = 0, N the null space of K; they are satisfied exactly, by eliminating as many base parameters.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/core/expression.hpp"
#include "steelyard/estimate/estimate.hpp"
#include "steelyard/regressor/base.hpp"
#include "steelyard/reverse/options.hpp"
#include "steelyard/reverse/table.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct ComponentError {
  std::string name;  // "g2", "M31"
  Index count = 0;
  double mean_square = 0;
  double largest = 0;
  double scale = 0;  // RMS of the entries themselves
};

struct ReverseFit {
  RowSet rows = RowSet::gravity_inertia;  // that were there
  BaseParameters base;
  Estimate estimate;     // columns are leads of the base, without those that relations eliminate
  VectorXd values;       // in the order of the base
  VectorXd sigma;        // infinite where nothing is known; zero where a relation gives the value
  MatrixXd covariance;   // rounding included (rounding.hpp)
  double degrees = 0;    // of freedom of the standard deviations
  Index relations = 0;   // that the base sees
  bool torques = false;  // of a log were fitted as well: the base is that of torques
  std::vector<ComponentError> training;

  std::vector<std::string> leads() const;
  double relative() const;  // see relative_error()
  bool whole_model() const { return torques || rows == RowSet::gravity_inertia; }
};

// Whether such rows identify any parameter: where gravity loads no axis, its rows identify none.
bool shows_anything(const Robot& robot, RowSet rows, ReverseOptions options = {});

// Throws InputError for tables without the requested rows, for unknown names, and for relations
// that contradict each other.
ReverseFit fit_table(const Robot& robot, const ReverseTable& table, const ReverseOptions& options = {});

// Errors of given base values on a table, one entry per available component. Components left out are
// listed, too.
std::vector<ComponentError> table_errors(const Robot& robot, const std::vector<std::string>& columns,
                                         const VectorXd& values, const ReverseTable& table);

// The same of a fit, without components of rows that it was not requested to fit.
std::vector<ComponentError> fitted_errors(const Robot& robot, ReverseTable table, const ReverseFit& fit);

// √(Σ residual² / Σ entry²) of all gravity components and of all inertia components, the larger of the two.
double relative_error(const std::vector<ComponentError>& errors);

// The table that base values predict at the configurations of another one.
ReverseTable predict_table(const Robot& robot, const std::vector<std::string>& columns,
                           const VectorXd& values, const MatrixXd& q, RowSet rows);

}  // namespace steelyard
