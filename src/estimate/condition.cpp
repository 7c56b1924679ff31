#include "steelyard/estimate/condition.hpp"

#include <limits>

#include "estimate/solve.hpp"
#include "steelyard/core/linear_algebra.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

double ratio(const VectorXd& singular, Index columns) {
  if (columns == 0) return 1;
  const bool full = singular.size() == columns && singular[columns - 1] > 0;
  return full ? singular[0] / singular[columns - 1] : kInfinite;
}

}  // namespace

Conditioning condition_of(const MatrixXd& R, double tolerance) {
  Conditioning out;
  out.norms = column_norms(R);
  const VectorXd scale = (out.norms.array() > 0).select(out.norms, 1.0);
  const MatrixXd scaled = R * scale.cwiseInverse().asDiagonal();
  if (R.size() == 0) {
    out.condition = out.condition_scaled = ratio(VectorXd(), R.cols());
    return out;
  }
  out.singular_scaled = singular_values(scaled);
  out.singular = singular_values(R);
  out.rank = (out.singular_scaled.array() > tolerance * out.singular_scaled[0]).count();
  const bool full = out.rank == R.cols();
  out.condition = full ? ratio(out.singular, R.cols()) : kInfinite;
  out.condition_scaled = full ? ratio(out.singular_scaled, R.cols()) : kInfinite;
  return out;
}

}  // namespace steelyard
