// Shared by the tests of the estimate stage: made-up row kinds with different columns, and dense algebra over
// them.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "oracle/long_double_qr.hpp"
#include "steelyard/core/random.hpp"
#include "steelyard/fold/fold.hpp"

namespace steelyard::estimate_tests {

inline const std::vector<std::string> kColumns = {"a", "b", "c", "d", "e"};

inline Layout layout_of(const std::string& row, const std::vector<std::string>& columns,
                        const std::string& unit = "N*m") {
  Layout layout;
  layout.row = row;
  layout.unit = unit;
  layout.columns = columns;
  layout.efforts = {"torque"};
  layout.effort_units = {unit};
  return layout;
}

// Rows of one kind: `used` are indices into kColumns, Y the rows in all columns.
struct Rows {
  std::string row;
  std::string unit;
  std::vector<Index> used;
  MatrixXd Y;
  VectorXd tau;
  Index block = 0;

  Fold fold() const {
    std::vector<std::string> names;
    for (const Index k : used) names.push_back(kColumns[static_cast<std::size_t>(k)]);
    MatrixXd rows(Y.rows(), static_cast<Index>(used.size()) + 1);
    rows << Y(Eigen::all, used), tau;
    Fold fold = fold_rows(layout_of(row, names, unit), rows);
    fold.set_block(block);
    return fold;
  }
};

inline const VectorXd& truth() {
  static const VectorXd x = (VectorXd(5) << 1.5, -0.2, 30, 0.004, 2).finished();
  return x;
}

// Gaussian rows with noise of the given standard deviation; columns of very different size.
inline Rows make_rows(const std::string& row, const std::vector<Index>& used, Index count, double noise,
                      Random& random, const std::string& unit = "N*m", Index block = 0) {
  Rows out{row, unit, used, MatrixXd::Zero(count, 5), VectorXd::Zero(count), block};
  const double scale[] = {1, 10, 0.05, 300, 1};
  for (Index s = 0; s < count; ++s) {
    for (const Index k : used) out.Y(s, k) = scale[k] * random.normal();
    out.tau[s] = out.Y.row(s).dot(truth()) + noise * random.normal();
  }
  return out;
}

inline std::vector<Rows> three_kinds(Index count, std::uint64_t seed) {
  Random random(seed, "three kinds");
  return {make_rows("torque:one", {0, 1, 2, 3, 4}, count, 0.1, random),
          make_rows("torque:two", {1, 3, 4}, count + 20, 1.0, random),
          make_rows("torque:three", {2, 4}, count - 10, 0.02, random)};
}

inline std::vector<Fold> folds_of(const std::vector<Rows>& all) {
  std::vector<Fold> folds;
  for (const Rows& rows : all) folds.push_back(rows.fold());
  return folds;
}

// Weighted least squares on the stacked rows, in long double, with weights of the kinds as given.
struct Dense {
  VectorXd x;
  MatrixXd inverse;              // (Σ w² YᵀY)⁻¹
  std::vector<double> residual;  // ‖Y x − τ‖ of each
  std::vector<double> share;     // trace of each one's part of the hat matrix
};

inline Dense dense(const std::vector<Rows>& all, const std::vector<double>& weights) {
  using oracle::LongMatrix;
  Index rows = 0;
  for (const Rows& part : all) rows += part.Y.rows();
  LongMatrix A(rows, 5);
  oracle::LongVector b(rows);
  Index first = 0;
  for (std::size_t k = 0; k < all.size(); ++k) {
    A.middleRows(first, all[k].Y.rows()) = weights[k] * all[k].Y.cast<long double>();
    b.segment(first, all[k].Y.rows()) = weights[k] * all[k].tau.cast<long double>();
    first += all[k].Y.rows();
  }
  const LongMatrix R = oracle::long_double_r(A);
  const LongMatrix root = R.triangularView<Eigen::Upper>().solve(LongMatrix::Identity(5, 5));
  Dense out;
  out.x = oracle::long_double_solve(A, b).cast<double>();
  out.inverse = (root * root.transpose()).cast<double>();
  for (std::size_t k = 0; k < all.size(); ++k) {
    out.residual.push_back((all[k].Y * out.x - all[k].tau).norm());
    const MatrixXd weighted = weights[k] * all[k].Y * root.cast<double>();
    out.share.push_back(weighted.squaredNorm());
  }
  return out;
}

}  // namespace steelyard::estimate_tests
