// Least squares on a small factor of any rank: the shortest solution, by pivots or by singular values.
#include "estimate/solve.hpp"

#include <gtest/gtest.h>

#include <Eigen/QR>
#include <Eigen/SVD>
#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <vector>

namespace steelyard {
namespace solve_test {
namespace {

MatrixXd random_matrix(Index rows, Index columns, std::mt19937& engine) {
  std::normal_distribution<double> normal;
  return MatrixXd::NullaryExpr(rows, columns, [&] { return normal(engine); });
}

// What the definition says, of columns scaled to norm one.
MatrixXd pseudo_inverse(const MatrixXd& R) {
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(R, Eigen::ComputeThinU | Eigen::ComputeThinV);
  const auto& s = svd.singularValues();
  const Eigen::VectorXd inverse = (s.array() > 1e-12 * s[0]).select(s.cwiseInverse(), 0);
  return svd.matrixV() * inverse.asDiagonal() * svd.matrixU().transpose();
}

void expect_shortest(const MatrixXd& R, Index rank, std::mt19937& engine) {
  const VectorXd z = random_matrix(R.rows(), 1, engine);
  const Solution solution = solve(R, z, 1e-12);
  EXPECT_EQ(solution.rank, rank);
  const VectorXd norms = R.colwise().norm().transpose();
  const MatrixXd scaled = R * norms.cwiseInverse().asDiagonal();
  const MatrixXd inverse = norms.cwiseInverse().asDiagonal() * pseudo_inverse(scaled);
  // Rounding by 1e-16 grows with the square of the condition, some hundred here; forty columns.
  const double near = 1e-11 * inverse.norm();
  EXPECT_LE((solution.x - inverse * z).norm(), near * z.norm());
  EXPECT_LE((solution.root * solution.root.transpose() - inverse * inverse.transpose()).norm(),
            near * inverse.norm());
}

// Structure: some columns are combinations of others. A square, a tall and a wide factor.
TEST(Solve, DependentColumnsHaveTheShortestSolution) {
  std::mt19937 engine(7);
  for (const auto& [rows, columns, dependent] :
       {std::array<Index, 3>{40, 40, 5}, {90, 40, 1}, {40, 40, 15}, {25, 40, 3}}) {
    MatrixXd R = random_matrix(rows, columns, engine);
    for (Index k = 0; k < columns; ++k) R.col(k) *= std::pow(10.0, static_cast<double>(k % 7) - 3);
    for (Index k = 0; k < dependent; ++k) R.col(2 * k) = R.rightCols(3) * random_matrix(3, 1, engine);
    expect_shortest(R, std::min(rows, columns - dependent), engine);
  }
}

TEST(Solve, SaysWhichColumnsDepend) {
  std::mt19937 engine(8);
  MatrixXd R = random_matrix(12, 6, engine);
  R.col(1) = R.col(4);
  R.col(3).setZero();
  const Solution solution = solve(R, R.col(0), 1e-12);
  using enum ColumnStatus;
  EXPECT_EQ(solution.status, (std::vector{determined, dependent, determined, zero, dependent, determined}));
  EXPECT_EQ(solution.rank, 4);
}

// Singular values go down to the tolerance and beyond without a gap: they decide.
TEST(Solve, SingularValuesDecideWithoutAGap) {
  std::mt19937 engine(9);
  const Index n = 40;
  const MatrixXd left = Eigen::HouseholderQR<Eigen::MatrixXd>(random_matrix(n, n, engine)).householderQ();
  const MatrixXd right = Eigen::HouseholderQR<Eigen::MatrixXd>(random_matrix(n, n, engine)).householderQ();
  VectorXd values(n);
  for (Index k = 0; k < n; ++k) values[k] = std::pow(10.0, -16.0 * static_cast<double>(k) / (n - 1));
  const MatrixXd R = left * values.asDiagonal() * right.transpose();
  const VectorXd norms = R.colwise().norm().transpose();
  const Eigen::VectorXd s =
      Eigen::JacobiSVD<Eigen::MatrixXd>(R * norms.cwiseInverse().asDiagonal()).singularValues();
  EXPECT_EQ(solve(R, R.col(0), 1e-12).rank, (s.array() > 1e-12 * s[0]).count());
}

}  // namespace
}  // namespace solve_test
}  // namespace steelyard
