#include "doctor/constrained.hpp"

#include <algorithm>

#include "steelyard/core/linear_algebra.hpp"

namespace steelyard::doctor {

Eigen::VectorXd solve_constrained(const Eigen::MatrixXd& H, const Eigen::VectorXd& b,
                                  const Eigen::MatrixXd& A) {
  constexpr int kSweeps = 100;
  const Cholesky factor(H);
  Eigen::VectorXd x = factor.solve(b);
  const Eigen::VectorXd slack = A * x;
  if (A.rows() == 0 || slack.minCoeff() >= 0) return x;
  const Eigen::MatrixXd G = factor.solve_lower(A.transpose());
  const Eigen::MatrixXd S = G.transpose() * G;
  Eigen::VectorXd u = Eigen::VectorXd::Zero(A.rows()), value = slack;  // value = S u + slack
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    double largest = 0;
    for (Eigen::Index k = 0; k < u.size(); ++k) {
      if (S(k, k) <= 0) continue;
      const double change = std::max(0.0, u[k] - value[k] / S(k, k)) - u[k];
      if (change == 0) continue;
      u[k] += change;
      value += change * S.col(k);
      largest = std::max(largest, std::abs(change) * std::sqrt(S(k, k)));
    }
    if (largest <= 1e-9 * b.norm()) break;
  }
  x += factor.packed().triangularView<Eigen::Lower>().transpose().solve(G * u);
  return x;
}

}  // namespace steelyard::doctor
