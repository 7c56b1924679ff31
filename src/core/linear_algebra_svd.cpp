#include <Eigen/SVD>

#include "steelyard/core/linear_algebra.hpp"

namespace steelyard::inline STEELYARD_ABI {

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

}  // namespace steelyard
