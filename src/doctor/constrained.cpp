#include "doctor/constrained.hpp"

#include <algorithm>
#include <vector>

#include "steelyard/core/linear_algebra.hpp"

namespace steelyard::doctor {
namespace {

// Sweeps over the multipliers u ≥ 0 of some inequalities; value = S u + slack of the solution without any.
void ascend(const Eigen::MatrixXd& S, double smallest, Eigen::VectorXd& value, Eigen::VectorXd& u) {
  constexpr int kSweeps = 100;
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
    if (largest <= smallest) return;
  }
}

}  // namespace

// Few of the inequalities bind: only those that were violated on the way are worked with.
Eigen::VectorXd solve_constrained(const Eigen::MatrixXd& H, const Eigen::VectorXd& b,
                                  const Eigen::MatrixXd& A) {
  const Cholesky factor(H);
  const Eigen::VectorXd free = factor.solve(b);
  Eigen::VectorXd x = free, u;
  std::vector<Eigen::Index> bound;
  Eigen::MatrixXd G;  // L⁻¹ of their rows
  for (;;) {
    const Eigen::VectorXd slack = A * x;
    const Eigen::Index old = u.size();
    for (Eigen::Index k = 0; k < slack.size(); ++k)
      if (slack[k] < 0 && std::find(bound.begin(), bound.begin() + old, k) == bound.begin() + old)
        bound.push_back(k);
    const auto n = static_cast<Eigen::Index>(bound.size());
    if (n == old) return x;
    Eigen::MatrixXd fresh(b.size(), n - old);
    for (Eigen::Index k = old; k < n; ++k)
      fresh.col(k - old) = A.row(bound[static_cast<std::size_t>(k)]).transpose();
    G.conservativeResize(b.size(), n);
    G.rightCols(n - old) = factor.solve_lower(fresh);
    u.conservativeResizeLike(Eigen::VectorXd::Zero(n));
    const Eigen::MatrixXd S = G.transpose() * G;
    Eigen::VectorXd value = S * u;
    for (Eigen::Index k = 0; k < n; ++k) value[k] += A.row(bound[static_cast<std::size_t>(k)]).dot(free);
    ascend(S, 1e-9 * b.norm(), value, u);
    x = free + factor.packed().triangularView<Eigen::Lower>().transpose().solve(G * u);
  }
}

}  // namespace steelyard::doctor
