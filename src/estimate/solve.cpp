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

void solve_deficient(const Scaled& scaled, const VectorXd& z, double tolerance, Solution& out) {
  const Svd svd = jacobi_svd(scaled.R, Eigen::ComputeThinU | Eigen::ComputeFullV);
  const Eigen::VectorXd& s = svd.values;
  const Index rank = (s.array() > tolerance * s[0]).count(), columns = scaled.R.cols();
  const MatrixXd root = svd.V.leftCols(rank) * s.head(rank).cwiseInverse().asDiagonal();
  const VectorXd x = root * (svd.U.leftCols(rank).transpose() * z);
  const MatrixXd null = svd.V.rightCols(columns - rank);
  for (std::size_t a = 0; a < scaled.active.size(); ++a) {
    if (rank < columns && null.row(static_cast<Index>(a)).norm() > kShare) {
      out.status[static_cast<std::size_t>(scaled.active[a])] = ColumnStatus::dependent;
    }
  }
  out.rank = rank;
  out.root.setZero(out.x.size(), rank);
  put(scaled, x, root, out);
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
    // The smallest singular value is at least 1 / ‖inverse‖, the largest at most √columns.
    if (inverse.norm() * std::sqrt(static_cast<double>(columns)) < 1 / rank_tolerance) {
      out.rank = columns;
      put(scaled, upper.solve(right), inverse, out);
      return out;
    }
  }
  solve_deficient(scaled, z, rank_tolerance, out);
  return out;
}

}  // namespace steelyard
