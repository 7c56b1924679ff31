// Derivatives of M, g, T, U and poses by joint positions without differencing error.
//
// All of them are trigonometric polynomials of degree two at most in a revolute joint's angle and quadratic
// polynomials in a prismatic joint's position. With f_o(h) = (f(q + h) − f(q − h)) / 2,
//   revolute    b1 sin h + b2 sin 2h = f_o(h):  f' = b1 + 2 b2,  b1 = f_o(π/2),  b2 = f_o(π/4) − b1 sin(π/4)
//   prismatic   f' = f_o(1)
// so that only rounding is left.
#pragma once

#include <cmath>

#include "steelyard/dynamics/dynamics.hpp"

namespace steelyard::oracle {

template <class Function>
MatrixXd derivative_by(const Tree& tree, const VectorXd& q, int joint, Function&& f) {
  const auto odd = [&](double h) {
    VectorXd ahead = q, behind = q;
    ahead[joint] += h;
    behind[joint] -= h;
    return MatrixXd(0.5 * (MatrixXd(f(ahead)) - MatrixXd(f(behind))));
  };
  if (tree.joints[static_cast<std::size_t>(joint)].prismatic) return odd(1);
  constexpr double kPi = 3.14159265358979323846;
  const MatrixXd b1 = odd(kPi / 2);
  const MatrixXd b2 = odd(kPi / 4) - std::sqrt(0.5) * b1;
  return MatrixXd(b1 + 2 * b2);
}

// For scalar functions.
template <class Function>
VectorXd gradient_by(const Tree& tree, const VectorXd& q, Function&& f) {
  VectorXd gradient(tree.size());
  for (int i = 0; i < tree.size(); ++i) {
    gradient[i] =
        derivative_by(tree, q, i, [&](const VectorXd& x) { return MatrixXd::Constant(1, 1, f(x)); })(0, 0);
  }
  return gradient;
}

}  // namespace steelyard::oracle
