// Singular values of a small factor, with and without scaling of its columns to norm one.
//
// Condition numbers of columns in different units mean little; those of scaled columns are meaningful. Jacobi
// rotations are used: they find small singular values to relative accuracy where divide and conquer gives
// noise.
#pragma once

#include <vector>

#include "steelyard/core/abi.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct Conditioning {
  VectorXd norms;            // of the columns
  VectorXd singular;         // of the columns as they are, descending
  VectorXd singular_scaled;  // of the columns divided by their norms (zero columns stay), descending
  double condition = 0;      // infinite when rank < columns
  double condition_scaled = 0;
  Index rank = 0;  // scaled singular values above tolerance times the largest
};

Conditioning condition_of(const MatrixXd& R, double tolerance = 1e-12);

}  // namespace steelyard
