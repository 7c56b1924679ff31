// Householder QR and least squares in long double (64-bit mantissa on x86-64), written plainly: the referee
// of folds.
#pragma once

#include <cmath>

#include "steelyard/core/abi.hpp"

namespace steelyard::oracle {

using LongMatrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
using LongVector = Eigen::Matrix<long double, Eigen::Dynamic, 1>;

// R of A with non-negative diagonal, min(rows, columns) × columns.
inline LongMatrix long_double_r(LongMatrix A) {
  const Index steps = std::min(A.rows(), A.cols());
  for (Index k = 0; k < steps; ++k) {
    LongVector v = A.col(k).tail(A.rows() - k);
    const long double norm = v.norm();
    if (norm == 0) continue;
    v[0] += v[0] < 0 ? -norm : norm;
    const long double half = v.squaredNorm() / 2;
    for (Index j = k; j < A.cols(); ++j) {
      const long double factor = v.dot(A.col(j).tail(A.rows() - k)) / half;
      A.col(j).tail(A.rows() - k) -= factor * v;
    }
    A.col(k).tail(A.rows() - k - 1).setZero();
  }
  LongMatrix R = A.topRows(steps);
  for (Index k = 0; k < steps; ++k) {
    if (R(k, k) < 0) R.row(k) *= -1;
  }
  return R;
}

inline LongMatrix long_double_r(const MatrixXd& A) {
  return long_double_r(LongMatrix(A.cast<long double>()));
}

// Least squares solution of A x = b with A of full column rank.
inline LongVector long_double_solve(const LongMatrix& A, const LongVector& b) {
  LongMatrix joined(A.rows(), A.cols() + 1);
  joined << A, b;
  const LongMatrix R = long_double_r(joined);
  const Index n = A.cols();
  LongVector x = R.col(n).head(n);
  for (Index k = n - 1; k >= 0; --k) {
    x[k] /= R(k, k);
    x.head(k) -= x[k] * R.col(k).head(k);
  }
  return x;
}

}  // namespace steelyard::oracle
