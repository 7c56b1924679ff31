#include "signs/order.hpp"

#include <algorithm>
#include <numeric>

#include "steelyard/core/error.hpp"
#include "steelyard/core/linear_algebra.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

// Elimination of RᵀR, the smallest remaining diagonal entry each time.
std::vector<Index> schur_order(const MatrixXd& R) {
  const Index size = R.cols();
  Eigen::MatrixXd gram = R.transpose() * R;
  std::vector<Index> order;
  std::vector<char> done(static_cast<std::size_t>(size), 0);
  for (Index k = 0; k < size; ++k) {
    Index pivot = -1;
    for (Index i = 0; i < size; ++i)
      if (!done[static_cast<std::size_t>(i)] && (pivot < 0 || gram(i, i) < gram(pivot, pivot))) pivot = i;
    done[static_cast<std::size_t>(pivot)] = 1;
    order.push_back(pivot);
    if (!(gram(pivot, pivot) > 0)) continue;
    const Eigen::VectorXd column = gram.col(pivot);
    for (Index j = 0; j < size; ++j)
      if (!done[static_cast<std::size_t>(j)]) gram.col(j) -= column * (column[j] / column[pivot]);
  }
  return order;
}

}  // namespace

OrderedForm order_columns(const MatrixXd& R, double rounding, Index max_columns) {
  const Index size = R.cols();
  OrderedForm form;
  if (size <= max_columns) {
    form.order = schur_order(R);
  } else {
    const VectorXd norms = R.colwise().squaredNorm();
    form.order.resize(static_cast<std::size_t>(size));
    std::iota(form.order.begin(), form.order.end(), Index{0});
    std::stable_sort(form.order.begin(), form.order.end(),
                     [&](Index a, Index b) { return norms[a] < norms[b]; });
  }
  Eigen::MatrixXd permuted(size, size);
  for (Index k = 0; k < size; ++k) permuted.col(k) = R.col(form.order[static_cast<std::size_t>(k)]);
  if (size <= max_columns) {
    reduce_to_triangle(permuted);
    form.R = permuted.triangularView<Eigen::Upper>();
    return form;
  }
  Eigen::MatrixXd gram = permuted.transpose() * permuted;
  gram.diagonal().array() += rounding / static_cast<double>(size);
  const Cholesky factor(gram);
  require(factor.is_positive(), "the form of the signs is not positive definite");
  form.R = factor.upper();
  return form;
}

}  // namespace steelyard
