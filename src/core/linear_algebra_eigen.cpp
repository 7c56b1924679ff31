#include <Eigen/Eigenvalues>

#include "steelyard/core/linear_algebra.hpp"

namespace steelyard::inline STEELYARD_ABI {

SymmetricEigen symmetric_eigen(const ConstMatrix& A) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(A);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

Eigen::VectorXd symmetric_eigenvalues(const ConstMatrix& A) {
  return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(A, Eigen::EigenvaluesOnly).eigenvalues();
}

Eigen::VectorXd generalized_eigenvalues(const ConstMatrix& A, const ConstMatrix& B) {
  const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd> solver(A, B, Eigen::EigenvaluesOnly);
  return solver.info() == Eigen::Success ? solver.eigenvalues() : Eigen::VectorXd();
}

}  // namespace steelyard
