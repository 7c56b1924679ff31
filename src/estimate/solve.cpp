#include "estimate/solve.hpp"

#include <algorithm>
#include <cmath>

#include "steelyard/core/linear_algebra.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

// Share of a column in the null space below which it counts as determined: errors of the null space itself
// are about 1e-16 over the gap of the singular values.
constexpr double kShare = 1e-8;
constexpr double kRounding = 1e-14;  // of the median norm
// What pivots leave of columns of norm one that depend on others: n rounding errors, n up to some hundred.
constexpr double kDependent = 1e-13;

// The columns that are not zero, scaled to norm one.
struct Scaled {
  std::vector<Index> active;
  VectorXd norms;  // of the active ones
  MatrixXd R;
};

Scaled scale_columns(const MatrixXd& R) {
  Scaled out;
  const VectorXd norms = column_norms(R);
  for (Index k = 0; k < norms.size(); ++k) {
    if (norms[k] > 0) out.active.push_back(k);
  }
  out.norms = norms(out.active);
  out.R = R(Eigen::all, out.active) * out.norms.cwiseInverse().asDiagonal();
  return out;
}

bool is_triangular(const MatrixXd& R) {
  for (Index j = 0; j < R.cols(); ++j) {
    for (Index i = j + 1; i < R.rows(); ++i) {
      if (R(i, j) != 0) return false;
    }
  }
  return true;
}

// Turns R into a square triangle with the same Gram, and z with it; R has at least as many rows as columns.
void triangularise(MatrixXd& R, VectorXd& z) {
  if (!is_triangular(R)) {
    const Qr qr(R);
    z = qr.adjoint_times(z);
    R = qr.R();
  }
  R.conservativeResize(R.cols(), R.cols());
  z.conservativeResize(R.cols());
}

void put(const Scaled& scaled, const VectorXd& x, const MatrixXd& root, Solution& out) {
  for (std::size_t a = 0; a < scaled.active.size(); ++a) {
    const auto k = static_cast<Index>(a);
    out.x[scaled.active[a]] = x[k] / scaled.norms[k];
    out.root.row(scaled.active[a]) = root.row(k) / scaled.norms[k];
  }
}

void put_deficient(const Scaled& scaled, const VectorXd& x, const MatrixXd& root, const MatrixXd& null,
                   Solution& out) {
  for (std::size_t a = 0; a < scaled.active.size(); ++a) {
    if (null.cols() > 0 && null.row(static_cast<Index>(a)).norm() > kShare)
      out.status[static_cast<std::size_t>(scaled.active[a])] = ColumnStatus::dependent;
  }
  out.rank = root.cols();
  out.root.setZero(out.x.size(), out.rank);
  put(scaled, x, root, out);
}

// The smallest singular value is at least 1 / ‖inverse‖, the largest of columns of norm one at most √columns.
bool is_invertible(const MatrixXd& inverse, double tolerance) {
  return inverse.norm() * std::sqrt(static_cast<double>(inverse.cols())) < 1 / tolerance;
}

// Where columns depend on others up to rounding, and all else is clear: what pivots leave is the null space N, and every
// solution less its part in N is the shortest one. False where singular values have to tell.
bool solve_by_pivots(const Scaled& scaled, const VectorXd& z, double tolerance, Solution& out) {
  const PivotedQr qr(scaled.R);
  const Index columns = scaled.R.cols(), most = std::min(scaled.R.rows(), columns);
  const MatrixXd R = qr.R(most);
  Index rank = 0;
  while (rank < most && std::abs(R(rank, rank)) > tolerance * std::abs(R(0, 0))) ++rank;
  const Index free = columns - rank;
  if (free == 0 || R.bottomRightCorner(most - rank, free).norm() > kDependent) return false;
  const auto upper = R.topLeftCorner(rank, rank).triangularView<Eigen::Upper>();
  const MatrixXd inverse = upper.solve(MatrixXd::Identity(rank, rank));
  if (!is_invertible(inverse, tolerance)) return false;
  MatrixXd null = MatrixXd::Zero(columns, free);
  null.topRows(rank) = -inverse * R.topRightCorner(rank, free);
  null.bottomRows(free).setIdentity();
  null = qr.permutation() * PivotedQr(null).Q(free);
  MatrixXd root = MatrixXd::Zero(columns, rank);
  root.topRows(rank) = inverse;
  root = qr.permutation() * root;
  root -= null * (null.transpose() * root);
  const VectorXd x = root * qr.adjoint_times(z).head(rank);
  put_deficient(scaled, x, root, null, out);
  return true;
}

void solve_by_values(const Scaled& scaled, const VectorXd& z, double tolerance, Solution& out) {
  const Svd svd = jacobi_svd(scaled.R, Eigen::ComputeThinU | Eigen::ComputeFullV);
  const Eigen::VectorXd& s = svd.values;
  const Index rank = (s.array() > tolerance * s[0]).count(), columns = scaled.R.cols();
  const MatrixXd root = svd.V.leftCols(rank) * s.head(rank).cwiseInverse().asDiagonal();
  const VectorXd x = root * (svd.U.leftCols(rank).transpose() * z);
  put_deficient(scaled, x, root, svd.V.rightCols(columns - rank), out);
}

}  // namespace

VectorXd column_norms(const MatrixXd& R) {
  VectorXd norms = R.colwise().norm().transpose();
  std::vector<double> others;
  for (const double norm : norms)
    if (norm > 0) others.push_back(norm);
  if (others.empty()) return norms;
  const auto middle = others.begin() + static_cast<std::ptrdiff_t>(others.size() / 2);
  std::nth_element(others.begin(), middle, others.end());
  return (norms.array() > kRounding * *middle).select(norms, 0.0);
}

Solution solve(const MatrixXd& R, const VectorXd& z, double rank_tolerance) {
  const Scaled scaled = scale_columns(R);
  const auto columns = static_cast<Index>(scaled.active.size());
  Solution out;
  out.x = VectorXd::Zero(R.cols());
  out.root = MatrixXd::Zero(R.cols(), columns);
  out.status.assign(static_cast<std::size_t>(R.cols()), ColumnStatus::zero);
  for (const Index k : scaled.active) out.status[static_cast<std::size_t>(k)] = ColumnStatus::determined;
  if (columns == 0) return out;
  if (R.rows() >= columns) {
    MatrixXd triangle = scaled.R;
    VectorXd right = z;
    triangularise(triangle, right);
    const auto upper = triangle.triangularView<Eigen::Upper>();
    const MatrixXd inverse = upper.solve(MatrixXd::Identity(columns, columns));
    if (is_invertible(inverse, rank_tolerance)) {
      out.rank = columns;
      put(scaled, upper.solve(right), inverse, out);
      return out;
    }
  }
  if (!solve_by_pivots(scaled, z, rank_tolerance, out)) solve_by_values(scaled, z, rank_tolerance, out);
  return out;
}

}  // namespace steelyard
