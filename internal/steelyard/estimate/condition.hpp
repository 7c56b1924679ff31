// Condition numbers of a small factor, with and without scaling of its columns to norm one: columns in different units say
// little without it.
#pragma once

#include "steelyard/core/abi.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct Conditioning {
  double condition = 0;  // infinite when rank < columns
  double condition_scaled = 0;
  Index rank = 0;  // scaled singular values above tolerance times the largest
};

Conditioning condition_of(const MatrixXd& R, double tolerance = 1e-12);

}  // namespace steelyard
