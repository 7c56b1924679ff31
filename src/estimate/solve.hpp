// Least squares on one small factor: min ‖R x − z‖, with what is needed for covariances.
#pragma once

#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/estimate/estimate.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

struct Solution {
  VectorXd x;
  // (RᵀR)⁻¹ = root · rootᵀ on the columns that are determined; rows of zero columns are zero.
  MatrixXd root;
  std::vector<ColumnStatus> status;
  Index rank = 0;
};

// R: any rows × columns; z: one value per row of R.
Solution solve(const MatrixXd& R, const VectorXd& z, double rank_tolerance);

}  // namespace STEELYARD_ABI
}  // namespace steelyard
