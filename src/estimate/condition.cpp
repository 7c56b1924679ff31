#include "steelyard/estimate/condition.hpp"

#include <limits>

#include "estimate/solve.hpp"
#include "steelyard/core/linear_algebra.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

double ratio(const SingularRange& range, bool full) {
  return full && range.smallest > 0 ? range.largest / range.smallest
                                    : std::numeric_limits<double>::infinity();
}

}  // namespace

Conditioning condition_of(const MatrixXd& R, double tolerance) {
  Conditioning out;
  if (R.cols() == 0) {
    out.condition = out.condition_scaled = 1;
    return out;
  }
  const VectorXd norms = column_norms(R);
  const VectorXd scale = (norms.array() > 0).select(norms, 1.0);
  const SingularRange scaled = singular_range(R * scale.cwiseInverse().asDiagonal(), tolerance);
  out.rank = scaled.above;
  const bool full = out.rank == R.cols();
  out.condition = ratio(singular_range(R, tolerance), full);
  out.condition_scaled = ratio(scaled, full);
  return out;
}

}  // namespace steelyard
