#include "steelyard/core/linear_algebra.hpp"

namespace steelyard::inline STEELYARD_ABI {

Eigen::MatrixXd inverse_of(const ConstMatrix& A) {
  return Eigen::MatrixXd(A).inverse();
}

Eigen::MatrixXd inverse_of_positive(const ConstMatrix& A) {
  return Cholesky(A).solve(Eigen::MatrixXd::Identity(A.rows(), A.cols()));
}

void Cholesky::compute(const ConstMatrix& A) {
  factor_.compute(A);
}
Eigen::MatrixXd Cholesky::upper() const {
  return factor_.matrixU();
}
double Cholesky::log_det() const {
  return 2 * packed().diagonal().array().log().sum();
}
Eigen::MatrixXd Cholesky::solve_lower(const ConstMatrix& B) const {
  return factor_.matrixL().solve(B);
}
Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> Cholesky::solve_transposed(
    const ConstMatrix& B) const {
  return factor_.solve(B.transpose());
}
Eigen::VectorXd Cholesky::solve_vector(const ConstVector& b) const {
  return factor_.solve(b);
}
Eigen::MatrixXd Cholesky::solve_matrix(const ConstMatrix& B) const {
  return factor_.solve(B);
}

PivotedCholesky::PivotedCholesky(const ConstMatrix& A) : factor_(A) {}
Eigen::VectorXd PivotedCholesky::D() const {
  return factor_.vectorD();
}
Eigen::VectorXd PivotedCholesky::solve_vector(const ConstVector& b) const {
  return factor_.solve(b);
}
Eigen::MatrixXd PivotedCholesky::solve_matrix(const ConstMatrix& B) const {
  return factor_.solve(B);
}

void Lu::compute(const ConstMatrix& A) {
  factor_.compute(A);
}
Eigen::VectorXd Lu::solve(const ConstVector& b) const {
  return factor_.solve(b);
}

PivotedLu::PivotedLu(const ConstMatrix& A) : factor_(A) {}
PivotedLu::PivotedLu(const ConstMatrix& A, double threshold) : factor_(A) {
  factor_.setThreshold(threshold);
}
bool PivotedLu::is_invertible() const {
  return factor_.isInvertible();
}
Index PivotedLu::rank() const {
  return factor_.rank();
}
Eigen::MatrixXd PivotedLu::inverse() const {
  return factor_.inverse();
}
Eigen::MatrixXd PivotedLu::solve(const ConstMatrix& B) const {
  return factor_.solve(B);
}

}  // namespace steelyard
