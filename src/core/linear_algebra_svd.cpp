#include <Eigen/SVD>

#include <algorithm>
#include <limits>

#include "steelyard/core/linear_algebra.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

// Reflections from both sides leave an upper bidiagonal matrix: out = d₀ e₀ d₁ e₁ … d₍ₙ₋₁₎, the off-diagonal of a symmetric
// tridiagonal matrix with eigenvalues ±σ and a diagonal of zeros (Golub and Kahan).
Eigen::VectorXd bidiagonal(Eigen::MatrixXd A) {
  const Index n = A.cols(), m = A.rows();
  Eigen::VectorXd out(2 * n - 1), work(m);
  for (Index k = 0; k < n; ++k) {
    const Index right = n - k - 1;
    double tau = 0;
    auto column = A.col(k).tail(m - k);
    column.makeHouseholderInPlace(tau, out[2 * k]);
    A.bottomRightCorner(m - k, right).applyHouseholderOnTheLeft(column.tail(m - k - 1), tau, work.data());
    if (right == 0) break;
    auto row = A.row(k).tail(right);
    row.makeHouseholderInPlace(tau, out[2 * k + 1]);
    A.bottomRightCorner(m - k - 1, right)
        .applyHouseholderOnTheRight(row.tail(right - 1).transpose(), tau, work.data());
  }
  return out;
}

constexpr int kAtOnce = 8;
using Points = Eigen::Array<double, kAtOnce, 1>;

// How many of the n values ±σ are below each point, less n: singular values below it (Sturm; scaled to a bound of one).
Points values_below(const Eigen::VectorXd& squares, const Points& points) {
  Points pivot = -points, negative = (pivot < 0).cast<double>();
  for (const double square : squares) {
    // A pivot of zero counts as a tiny negative one.
    pivot = (pivot == 0).select(Points::Constant(-std::numeric_limits<double>::min()), pivot);
    pivot = -points - square / pivot;
    negative += (pivot < 0).cast<double>();
  }
  return negative - static_cast<double>((squares.size() + 1) / 2);
}

// The singular value with `below` others below it, between 0 and 1.
double find_value(const Eigen::VectorXd& squares, Index below) {
  double low = 0, high = 1;
  const Points share = Points::LinSpaced(1.0 / (kAtOnce + 1), static_cast<double>(kAtOnce) / (kAtOnce + 1));
  while (high - low > 2 * std::numeric_limits<double>::epsilon() * high &&
         high > std::numeric_limits<double>::epsilon() * std::numeric_limits<double>::epsilon()) {
    const Points points = low + (high - low) * share;
    const Index passed = (values_below(squares, points) <= static_cast<double>(below)).count();
    const double from = passed > 0 ? points[passed - 1] : low;
    const double to = passed < kAtOnce ? points[passed] : high;
    if (from == low && to == high) break;
    low = from;
    high = to;
  }
  return (low + high) / 2;
}

}  // namespace

Svd jacobi_svd(const ConstMatrix& A, unsigned vectors) {
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(A, vectors);
  Svd out{{}, svd.singularValues(), {}};
  if (svd.computeU()) out.U = svd.matrixU();
  if (svd.computeV()) out.V = svd.matrixV();
  return out;
}

Eigen::VectorXd singular_values(const ConstMatrix& A) {
  return jacobi_svd(A, 0).values;
}

SingularRange singular_range(const ConstMatrix& A, double tolerance) {
  SingularRange out;
  if (A.size() == 0) return out;
  const bool wide = A.cols() > A.rows();
  Eigen::VectorXd line = bidiagonal(wide ? Eigen::MatrixXd(A.transpose()) : Eigen::MatrixXd(A));
  // Two neighbours at most in a row of the tridiagonal matrix: no eigenvalue above twice the largest entry.
  const double bound = 2 * line.cwiseAbs().maxCoeff();
  if (!(bound > 0)) return out;
  const Eigen::VectorXd squares = (line / bound).cwiseAbs2();
  const Index n = (line.size() + 1) / 2;
  const double largest = find_value(squares, n - 1);
  out.largest = bound * largest;
  if (!wide) out.smallest = bound * find_value(squares, 0);
  out.above = n - static_cast<Index>(values_below(squares, Points::Constant(tolerance * largest))[0]);
  return out;
}

}  // namespace steelyard
