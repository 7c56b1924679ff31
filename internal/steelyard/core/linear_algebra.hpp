// Decompositions of dense matrices, compiled once: their templates cost seconds in every file that names them.
// Methods and results are Eigen's, to the bit, but for singular_range.
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <Eigen/QR>

#include "steelyard/core/abi.hpp"

namespace steelyard::inline STEELYARD_ABI {

using ConstMatrix = Eigen::Ref<const Eigen::MatrixXd>;
using ConstVector = Eigen::Ref<const Eigen::VectorXd>;

// Of a symmetric matrix, of which the lower triangle is read; ascending.
struct SymmetricEigen {
  Eigen::VectorXd values;
  Eigen::MatrixXd vectors;
};
SymmetricEigen symmetric_eigen(const ConstMatrix& A);
Eigen::VectorXd symmetric_eigenvalues(const ConstMatrix& A);
// λ with A v = λ B v; empty when B is not positive definite.
Eigen::VectorXd generalized_eigenvalues(const ConstMatrix& A, const ConstMatrix& B);

// A = U diag(values) Vᵀ, descending.
struct Svd {
  Eigen::MatrixXd U;
  Eigen::VectorXd values;
  Eigen::MatrixXd V;
};
// By rotations, accurate; `vectors` are Eigen's flags, such as Eigen::ComputeThinU | Eigen::ComputeFullV.
Svd jacobi_svd(const ConstMatrix& A, unsigned vectors);
Eigen::VectorXd singular_values(const ConstMatrix& A);

// Without the values between: a twentieth of the time. Errors are a few rounding errors of the largest value.
struct SingularRange {
  double largest = 0, smallest = 0;  // the smallest of as many as A has columns
  Index above = 0;                   // values above tolerance times the largest
};
SingularRange singular_range(const ConstMatrix& A, double tolerance);

Eigen::MatrixXd inverse_of(const ConstMatrix& A);

// Factors solve for vectors and for matrices, which round differently.
template <class Factor>
class Solves {
 public:
  template <class B>
  auto solve(const B& b) const {
    const auto& factor = static_cast<const Factor&>(*this);
    if constexpr (B::ColsAtCompileTime == 1)
      return factor.solve_vector(b);
    else
      return factor.solve_matrix(b);
  }
};

// A = L Lᵀ of a symmetric matrix, of which the lower triangle is read.
class Cholesky : public Solves<Cholesky> {
 public:
  Cholesky() = default;
  explicit Cholesky(const ConstMatrix& A) { compute(A); }
  void compute(const ConstMatrix& A);
  bool is_positive() const { return factor_.info() == Eigen::Success; }
  const Eigen::MatrixXd& packed() const { return factor_.matrixLLT(); }  // L in the lower triangle
  Eigen::MatrixXd upper() const;                                         // Lᵀ
  double log_det() const;
  Eigen::MatrixXd solve_lower(const ConstMatrix& B) const;  // L⁻¹ B
  // A⁻¹ Bᵀ row by row; other sums than those of solve(Bᵀ).
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> solve_transposed(
      const ConstMatrix& B) const;
  Eigen::VectorXd solve_vector(const ConstVector& b) const;
  Eigen::MatrixXd solve_matrix(const ConstMatrix& B) const;

 private:
  Eigen::LLT<Eigen::MatrixXd> factor_;
};
Eigen::MatrixXd inverse_of_positive(const ConstMatrix& A);

// A = P L D Lᵀ Pᵀ.
class PivotedCholesky : public Solves<PivotedCholesky> {
 public:
  explicit PivotedCholesky(const ConstMatrix& A);
  Eigen::VectorXd D() const;
  Eigen::VectorXd solve_vector(const ConstVector& b) const;
  Eigen::MatrixXd solve_matrix(const ConstMatrix& B) const;

 private:
  Eigen::LDLT<Eigen::MatrixXd> factor_;
};

// A = P L U.
class Lu {
 public:
  Lu() = default;
  explicit Lu(const ConstMatrix& A) { compute(A); }
  void compute(const ConstMatrix& A);
  Eigen::VectorXd solve(const ConstVector& b) const;

 private:
  Eigen::PartialPivLU<Eigen::MatrixXd> factor_;
};

// A = P L U Q.
class PivotedLu {
 public:
  explicit PivotedLu(const ConstMatrix& A);
  PivotedLu(const ConstMatrix& A, double threshold);
  bool is_invertible() const;
  Index rank() const;
  Eigen::MatrixXd inverse() const;
  Eigen::MatrixXd solve(const ConstMatrix& B) const;

 private:
  Eigen::FullPivLU<Eigen::MatrixXd> factor_;
};

// A = Q R.
class Qr {
 public:
  explicit Qr(const ConstMatrix& A);
  Eigen::MatrixXd R() const;  // as many rows as A has rows or columns, the fewer
  Eigen::VectorXd adjoint_times(const ConstVector& b) const;  // Qᵀb
  Eigen::VectorXd solve(const ConstVector& b) const;

 private:
  Eigen::HouseholderQR<Eigen::MatrixXd> factor_;
};
// R in the upper triangle of A, what made it below.
void reduce_to_triangle(Eigen::Ref<Eigen::MatrixXd> A);

// A P = Q R.
class PivotedQr : public Solves<PivotedQr> {
 public:
  using Permutation = Eigen::ColPivHouseholderQR<Eigen::MatrixXd>::PermutationType;

  PivotedQr() = default;
  explicit PivotedQr(const ConstMatrix& A) { compute(A); }
  PivotedQr(const ConstMatrix& A, double threshold);
  void compute(const ConstMatrix& A);
  Index rank() const;
  const Eigen::MatrixXd& packed() const { return factor_.matrixQR(); }  // R in the upper triangle
  Eigen::MatrixXd R(Index rows) const;
  const Permutation& permutation() const { return factor_.colsPermutation(); }
  Eigen::MatrixXd Q() const;
  Eigen::MatrixXd Q(Index columns) const;
  Eigen::VectorXd times(const ConstVector& b) const;          // Q b
  Eigen::VectorXd adjoint_times(const ConstVector& b) const;  // Qᵀb
  void adjoint_times_in_place(Eigen::Ref<Eigen::MatrixXd> B) const;
  void adjoint_times_in_place(Eigen::Ref<Eigen::MatrixXd> B, Index reflections) const;
  Eigen::VectorXd solve_vector(const ConstVector& b) const;
  Eigen::MatrixXd solve_matrix(const ConstMatrix& B) const;

 private:
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> factor_;
};

// Least squares of any rank: the shortest solution.
class ShortestSolution : public Solves<ShortestSolution> {
 public:
  explicit ShortestSolution(const ConstMatrix& A);
  Index rank() const;
  Eigen::MatrixXd pseudo_inverse() const;
  Eigen::VectorXd solve_vector(const ConstVector& b) const;
  Eigen::MatrixXd solve_matrix(const ConstMatrix& B) const;

 private:
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> factor_;
};

}  // namespace steelyard
