// Instrumental variables on one factor.
#pragma once

#include <vector>

#include "estimate/solve.hpp"
#include "steelyard/core/abi.hpp"

namespace steelyard::inline STEELYARD_ABI {

// [Y | τ] turned so that its first rows are what Z sees of it: QᵀY = [seen; unseen].
struct InstrumentParts {
  MatrixXd seen;         // A: rank of Z × columns of Y
  VectorXd seen_effort;  // b
  MatrixXd unseen;       // the other rows of QᵀY
  Index rank = 0;        // of Z
};

// R: factor with the columns of Y at `y`, those of Z at `z`, the effort at `effort`.
InstrumentParts split_by_instruments(const MatrixXd& R, const std::vector<Index>& y,
                                     const std::vector<Index>& z, Index effort, double rank_tolerance);

}  // namespace steelyard
