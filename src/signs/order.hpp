// Order of the columns of R for a search from the last row up: weak columns first, so that the rows decided
// first are long.
#pragma once

#include <vector>

#include "steelyard/core/abi.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct OrderedForm {
  std::vector<Index> order;  // column k is this segment
  MatrixXd R;                // upper triangular, ‖R s‖ as before with s in the new order
};

// Smallest Schur diagonal first; by the columns' own norms for more than `max_columns` columns.
OrderedForm order_columns(const MatrixXd& R, double rounding, Index max_columns);

}  // namespace steelyard
