// Least squares on one small factor: min ‖R x − z‖, with what is needed for covariances.
#pragma once

#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/estimate/estimate.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct Solution {
  VectorXd x;
  // (RᵀR)⁻¹ = root · rootᵀ on the columns that are determined; rows of zero columns are zero.
  MatrixXd root;
  std::vector<ColumnStatus> status;
  Index rank = 0;
};

// Norms of columns; 0 for a column of nothing but rounding errors, which are some 1e-16 of what the
// regressor's columns are computed from. Measured by the median of the others, so that no single column
// decides.
VectorXd column_norms(const MatrixXd& R);

// R: any rows × columns; z: one value per row of R.
Solution solve(const MatrixXd& R, const VectorXd& z, double rank_tolerance);

}  // namespace steelyard
