#include "estimate/instrument_solve.hpp"

#include "steelyard/core/linear_algebra.hpp"

namespace steelyard::inline STEELYARD_ABI {

// Columns of Z are scaled to norm one and pivoted, so that rows beyond the rank hold nothing of Z.
InstrumentParts split_by_instruments(const MatrixXd& R, const std::vector<Index>& y,
                                     const std::vector<Index>& z, Index effort, double rank_tolerance) {
  MatrixXd Z = R(Eigen::all, z);
  for (Index k = 0; k < Z.cols(); ++k) {
    if (const double norm = Z.col(k).norm(); norm > 0) Z.col(k) /= norm;
  }
  const PivotedQr qr(Z, rank_tolerance);
  MatrixXd rest(R.rows(), static_cast<Index>(y.size()) + 1);
  rest << R(Eigen::all, y), R.col(effort);
  qr.adjoint_times_in_place(rest);
  InstrumentParts out;
  out.rank = qr.rank();
  out.seen = rest.topLeftCorner(out.rank, rest.cols() - 1);
  out.seen_effort = rest.col(rest.cols() - 1).head(out.rank);
  out.unseen = rest.bottomLeftCorner(rest.rows() - out.rank, rest.cols() - 1);
  return out;
}

}  // namespace steelyard
