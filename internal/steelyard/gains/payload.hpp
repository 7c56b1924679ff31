// Loads from currents when the gains are known: mass, centre of mass, inertia, with intervals.
//
//   V g = W χ + W_L χ_L      weighted least squares for base parameters and loads together, joint rows
//
// It takes runs with and without the load (or with a load that is known). Standard deviations have two parts:
// noise of the rows (bootstrap over time blocks) and the standard deviations of the gains, which move the
// loads linearly and do not shrink with longer runs; `gains_dominate`: the second is the larger one for the
// mass.
//
// `body` is the nearest physically possible body: the smallest distance in the estimate's own covariance
// under a positive semidefinite pseudo-inertia, fixed parameters kept.
#pragma once

#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/gains/fit.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct LoadEstimate {
  std::string name;
  Vector10 values;        // fixed ones as given
  Vector10 sigma;         // of everything
  Vector10 sigma_noise;   // of the rows' noise alone
  Vector10 sigma_gains;   // of the gains' standard deviations alone
  Vector10 lower, upper;  // NaN for fixed ones
  MatrixXd covariance;    // 10 × 10
  MatrixXd noise;         // its part by the rows' noise
  MatrixXd by_gains;      // 10 × n: change of the values by that of the gains; empty when these are exact
  bool gains_dominate = false;
  Inertia body;                // feasible
  bool body_is_found = false;  // false: no body fits the fixed parameters
  double body_moved = 0;       // its distance from the values, in standard deviations
};

struct LoadFit {
  std::vector<LoadEstimate> loads;  // those with unknown parameters that a run carries
  std::vector<std::string> columns;
  VectorXd values;  // base parameters and unknown load parameters
  VectorXd sigma;
  std::vector<Residual> per_row;
};

// `covariance` of the gains (n × n) may be empty: they are exact. Throws InputError when the problem has no
// load, or only runs with the same unknown load.
LoadFit identify_loads(const GainProblem& problem, const VectorXd& gains, const MatrixXd& covariance = {},
                       const GainOptions& options = {});

// The nearest body to ten parameters in a covariance (rows of fixed parameters zero).
Inertia nearest_body(const Vector10& values, const MatrixXd& covariance, bool& found, double& moved);

}  // namespace steelyard
