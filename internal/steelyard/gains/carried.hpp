// What errors of gains and loads do to parameters that are estimated from the torques they give.
//
//   W χ = V g − W_L χ_L      →      ∂χ/∂(g, χ_L) = (WᵀW)⁻¹ Wᵀ [V  −W_L]
//   cov χ = cov(χ | g, χ_L) + ∂χ cov(g, χ_L) ∂χᵀ
//
// The first part is what an estimate from torques has anyway. The two add because the gains fit the same rows: the inverse of
// a sum of squares over all unknowns is split in this way.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/estimate/estimate.hpp"
#include "steelyard/gains/fit.hpp"
#include "steelyard/gains/payload.hpp"
#include "steelyard/gains/problem.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct DriveErrors {
  std::vector<std::string> columns;  // gains, then parameters of loads
  MatrixXd covariance;
};

// Of gains and loads that were identified together, with the masses of weighed loads.
DriveErrors drive_errors(const GainProblem& problem, const GainFit& fit);
// Of given gains (`covariance` may be empty: exact), and of loads that were identified with them.
DriveErrors drive_errors(const std::vector<std::string>& gains, const MatrixXd& covariance,
                         std::span<const LoadEstimate> loads);

// The rows of each joint of all runs: leads on the left, the currents of gains and the columns of loads on the right.
std::vector<Fold> drive_rows(std::span<const GainRun> runs, const DriveErrors& errors);

// ∂χ cov(g, χ_L) ∂χᵀ of the estimate's columns, with its weights.
MatrixXd carried_covariance(std::span<const Fold> rows, const DriveErrors& errors, const Estimate& estimate);

}  // namespace steelyard
