#include "doctor/constrained.hpp"

#include <gtest/gtest.h>

#include "steelyard/core/random.hpp"

namespace steelyard {
namespace constrained_test {

TEST(ConstrainedLeastSquares, KeepsItsInequalitiesAndIsOptimal) {
  Random random(5, "constrained");
  for (int trial = 0; trial < 40; ++trial) {
    const Index many = trial < 20 ? 3 : 12;  // of which few bind, and others only on the way
    Eigen::MatrixXd Y(30, 6), A(many, 6);
    Eigen::VectorXd t(30);
    for (Index i = 0; i < 30; ++i) {
      t[i] = random.normal();
      for (Index j = 0; j < 6; ++j) Y(i, j) = random.normal();
    }
    for (Index i = 0; i < many; ++i)
      for (Index j = 0; j < 6; ++j) A(i, j) = random.normal() + (many > 3 ? 1 : 0);
    const Eigen::MatrixXd H = Y.transpose() * Y;
    const Eigen::VectorXd b = Y.transpose() * t;
    const Eigen::VectorXd x = doctor::solve_constrained(H, b, A);
    // Sweeps end at changes of 1e-9 of the right side, or after a hundred where rows that bind depend on one another.
    const double tolerance = many > 3 ? 1e-2 : 1e-6;
    EXPECT_GE((A * x).minCoeff(), -tolerance);
    // First order: no feasible direction towards random feasible points falls.
    const Eigen::VectorXd gradient = H * x - b;
    EXPECT_NEAR(gradient.dot(x), 0, tolerance);  // 0 and 2x are feasible
    for (int k = 0; k < 50; ++k) {
      Eigen::VectorXd y(6);
      for (Index j = 0; j < 6; ++j) y[j] = random.normal();
      if ((A * y).minCoeff() >= 0) {
        EXPECT_GE(gradient.dot(y - x), -tolerance);
      }
    }
  }
}

}  // namespace constrained_test
}  // namespace steelyard
