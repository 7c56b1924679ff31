#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "steelyard/core/error.hpp"
#include "steelyard/core/linear_algebra.hpp"
#include "steelyard/reverse/rows.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr double kTolerance = 1e-9;

// A π = c over the columns of the base.
void relation_rows(const BaseParameters& base, const std::vector<Relation>& relations, Eigen::MatrixXd& A,
                   Eigen::VectorXd& c) {
  A.setZero(static_cast<Index>(relations.size()), static_cast<Index>(base.columns.size()));
  c.resize(A.rows());
  for (std::size_t r = 0; r < relations.size(); ++r) {
    const auto row = static_cast<Index>(r);
    for (const auto& [name, factor] : relations[r].terms) {
      const auto found = std::find(base.columns.begin(), base.columns.end(), name);
      if (found == base.columns.end())
        throw InputError({fmt::format("a relation contains '{}', which is not a parameter here", name),
                          {},
                          "parameters of links, and Ia with rotor inertias",
                          "`steelyard model` lists them; zeros are not part of relations"});
      A(row, found - base.columns.begin()) += factor;
    }
    const double size = A.row(row).norm();
    if (!(size > 0)) throw InputError({"a relation has no terms", {}, "at least one", ""});
    c[row] = relations[r].value / size;
    A.row(row) /= size;
  }
}

// Columns that are orthogonal and span the null space.
Eigen::MatrixXd null_space(const Eigen::MatrixXd& matrix) {
  const Svd svd = jacobi_svd(matrix, Eigen::ComputeFullV);
  const auto& values = svd.values;
  Index rank = 0;
  while (rank < values.size() && values[rank] > kTolerance * std::max(1.0, values[0])) ++rank;
  return svd.V.rightCols(matrix.cols() - rank);
}

}  // namespace

FreeBase eliminate(const BaseParameters& base, const std::vector<Relation>& relations) {
  const Index n = base.K.rows();
  FreeBase free{MatrixXd::Identity(n, n), VectorXd::Zero(n), {}};
  Eigen::MatrixXd C;
  Eigen::VectorXd d;
  if (!relations.empty()) {
    Eigen::MatrixXd A;
    relation_rows(base, relations, A, d);
    const Eigen::MatrixXd K = base.K, N = null_space(K);
    const Eigen::MatrixXd L = null_space(Eigen::MatrixXd((A * N).transpose())).transpose();
    // π with Kπ = x and zeros beside the leads: other π differ by N, on which L does not depend.
    Eigen::MatrixXd by_lead(A.rows(), n);
    for (Index k = 0; k < n; ++k) by_lead.col(k) = A.col(base.lead[static_cast<std::size_t>(k)]);
    C = L * by_lead;
    d = Eigen::VectorXd(L * d);
  }
  // C x = d, the pivots are given by the others.
  const PivotedQr qr(C.rows() > 0 ? C : Eigen::MatrixXd::Zero(1, n));
  Index rank = 0;
  while (rank < std::min(C.rows(), n) && std::abs(qr.packed()(rank, rank)) > kTolerance) ++rank;
  const auto& order = qr.permutation().indices();
  for (Index k = rank; k < n; ++k) free.kept.push_back(order[k]);
  std::sort(free.kept.begin(), free.kept.end());
  if (rank == 0) return free;
  const Eigen::VectorXd right = qr.adjoint_times(d);
  if (right.tail(C.rows() - rank).norm() > kTolerance * (1 + d.norm()))
    throw InputError({"the relations contradict each other", {}, "", "remove or change one of them"});
  const Eigen::MatrixXd R = qr.R(rank);
  const Eigen::MatrixXd by_others =
      R.leftCols(rank).triangularView<Eigen::Upper>().solve(R.rightCols(n - rank));
  const Eigen::VectorXd fixed = R.leftCols(rank).triangularView<Eigen::Upper>().solve(right.head(rank));
  free.T.setZero(n, n - rank);
  for (Index column = 0; column < n - rank; ++column)
    free.T(free.kept[static_cast<std::size_t>(column)], column) = 1;
  for (Index p = 0; p < rank; ++p) {
    free.x0[order[p]] = fixed[p];
    for (Index k = 0; k < n - rank; ++k) {
      const auto at = std::find(free.kept.begin(), free.kept.end(), order[rank + k]) - free.kept.begin();
      const double factor = -by_others(p, k);
      free.T(order[p], at) = std::abs(factor) > kTolerance ? factor : 0;
    }
  }
  return free;
}

Fold in_free_base(const Fold& fold, const FreeBase& free, const std::vector<std::string>& leads) {
  Layout wide = fold.layout();
  wide.columns = leads;
  const Index n = static_cast<Index>(leads.size()), kept = static_cast<Index>(free.kept.size());
  MatrixXd C = MatrixXd::Zero(n + 1, kept + 1);
  C.topLeftCorner(n, kept) = free.T;
  C.block(0, kept, n, 1) = -free.x0;
  C(n, kept) = 1;
  Layout narrow = wide;
  narrow.columns.clear();
  for (const Index k : free.kept) narrow.columns.push_back(leads[static_cast<std::size_t>(k)]);
  return combine_columns(embed(fold, wide), C, narrow);
}

}  // namespace steelyard
