// Rows as W x = 0 with x = (unknowns, 1), what noise adds to their products, and what a method leaves out of
// it.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "steelyard/gains/fit.hpp"
#include "steelyard/gains/problem.hpp"

namespace steelyard::inline STEELYARD_ABI {

// Rows of a fold of equations in the given columns, the last one the fixed load's: A x − b.
Eigen::MatrixXd homogeneous(const Fold& fold, const std::vector<std::string>& columns);

// True when the errors of rows are known for all runs.
bool errors_are_known(const GainProblem& problem, RowSide side);

enum class ErrorKind { smooth, jumps };

// Products of what noise adds to the columns; rows of each joint divided by their standard deviation.
Eigen::MatrixXd error_products(const GainProblem& problem, RowSide side, ErrorKind kind,
                               const std::vector<double>& sigma, const std::vector<std::string>& columns);

// The same with what a fit leaves of the currents in place of their white noise, where it is more: whatever the model lacks
// is in the currents.
Eigen::MatrixXd with_residual_currents(const GainProblem& problem, const GainFit& fit,
                                       const std::vector<std::string>& columns,
                                       const Eigen::MatrixXd& products);

// Root of the inverse of a symmetric matrix: root · rootᵀ = A⁻¹, eigenvalues not below a floor.
Eigen::MatrixXd inverse_root(const Eigen::MatrixXd& A);

}  // namespace steelyard
