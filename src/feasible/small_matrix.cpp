#include "feasible/small_matrix.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

namespace steelyard::inline STEELYARD_ABI {
namespace {

template <class Matrix>
bool factor_small(const Matrix& A, Matrix& L) {
  const Eigen::LLT<Matrix> llt(A);
  L = llt.matrixL();
  return llt.info() == Eigen::Success;
}

}  // namespace

SmallEigen<SmallMatrix, SmallVector> small_eigen(const SmallMatrix& A) {
  const Eigen::SelfAdjointEigenSolver<SmallMatrix> solver(A);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

SmallEigen<Eigen::Matrix4d, Eigen::Vector4d> small_eigen(const Eigen::Matrix4d& A) {
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix4d> solver(A);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

SmallVector small_eigenvalues(const SmallMatrix& A) {
  return Eigen::SelfAdjointEigenSolver<SmallMatrix>(A, Eigen::EigenvaluesOnly).eigenvalues();
}

Eigen::Vector4d small_eigenvalues(const Eigen::Matrix4d& A) {
  return Eigen::SelfAdjointEigenSolver<Eigen::Matrix4d>(A, Eigen::EigenvaluesOnly).eigenvalues();
}

double spectral_norm(const SmallMatrix& A) {
  return A.operatorNorm();
}

bool is_positive(const SmallMatrix& A) {
  return A.llt().info() == Eigen::Success;
}
bool is_positive(const Eigen::Matrix4d& A) {
  return A.llt().info() == Eigen::Success;
}

bool lower_root(const SmallMatrix& A, SmallMatrix& L) {
  return factor_small(A, L);
}
bool lower_root(const Eigen::Matrix4d& A, Eigen::Matrix4d& L) {
  return factor_small(A, L);
}

SmallMatrix small_inverse(const SmallMatrix& A) {
  return A.llt().solve(SmallMatrix::Identity(A.rows(), A.cols()));
}

}  // namespace steelyard
