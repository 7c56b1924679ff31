#include <algorithm>

#include "steelyard/core/linear_algebra.hpp"

namespace steelyard::inline STEELYARD_ABI {

Qr::Qr(const ConstMatrix& A) : factor_(A) {}

Eigen::MatrixXd Qr::R() const {
  const Eigen::MatrixXd& QR = factor_.matrixQR();
  return QR.topRows(std::min(QR.rows(), QR.cols())).triangularView<Eigen::Upper>();
}

Eigen::VectorXd Qr::adjoint_times(const ConstVector& b) const {
  return factor_.householderQ().adjoint() * b;
}
Eigen::VectorXd Qr::solve(const ConstVector& b) const {
  return factor_.solve(b);
}

void reduce_to_triangle(Eigen::Ref<Eigen::MatrixXd> A) {
  Eigen::HouseholderQR<Eigen::Ref<Eigen::MatrixXd>> qr(A);
}

PivotedQr::PivotedQr(const ConstMatrix& A, double threshold) : PivotedQr(A) {
  factor_.setThreshold(threshold);
}
void PivotedQr::compute(const ConstMatrix& A) {
  factor_.compute(A);
}
Index PivotedQr::rank() const {
  return factor_.rank();
}
Eigen::MatrixXd PivotedQr::R(Index rows) const {
  return packed().topRows(rows).triangularView<Eigen::Upper>();
}
Eigen::MatrixXd PivotedQr::Q() const {
  return factor_.householderQ();
}
Eigen::MatrixXd PivotedQr::Q(Index columns) const {
  return factor_.householderQ() * Eigen::MatrixXd::Identity(factor_.rows(), columns);
}
Eigen::VectorXd PivotedQr::times(const ConstVector& b) const {
  return factor_.householderQ() * b;
}
Eigen::VectorXd PivotedQr::adjoint_times(const ConstVector& b) const {
  return factor_.householderQ().adjoint() * b;
}
void PivotedQr::adjoint_times_in_place(Eigen::Ref<Eigen::MatrixXd> B) const {
  B.applyOnTheLeft(factor_.householderQ().adjoint());
}
void PivotedQr::adjoint_times_in_place(Eigen::Ref<Eigen::MatrixXd> B, Index reflections) const {
  B.applyOnTheLeft(factor_.householderQ().setLength(reflections).adjoint());
}
Eigen::VectorXd PivotedQr::solve_vector(const ConstVector& b) const {
  return factor_.solve(b);
}
Eigen::MatrixXd PivotedQr::solve_matrix(const ConstMatrix& B) const {
  return factor_.solve(B);
}

ShortestSolution::ShortestSolution(const ConstMatrix& A) : factor_(A) {}
Index ShortestSolution::rank() const {
  return factor_.rank();
}
Eigen::MatrixXd ShortestSolution::pseudo_inverse() const {
  return factor_.pseudoInverse();
}
Eigen::VectorXd ShortestSolution::solve_vector(const ConstVector& b) const {
  return factor_.solve(b);
}
Eigen::MatrixXd ShortestSolution::solve_matrix(const ConstMatrix& B) const {
  return factor_.solve(B);
}

}  // namespace steelyard
