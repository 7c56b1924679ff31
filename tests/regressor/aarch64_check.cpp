// The baseline kernels on another processor family: sin and cos, a pendulum's torque row, and its motion.
//
// Built by aarch64_kernels.cmake with a cross compiler and nothing but the kernels; returns 0 when all is
// well.
#include <cmath>
#include <cstdio>

#include "dynamics/kernels/articulated.hpp"
#include "steelyard/regressor/simd.hpp"

using namespace steelyard::simd;

// A link on a horizontal z axis under gravity −y: Jzz q̈ = τ − g (mx cos q − my sin q), and back.
bool pendulum_moves() {
  namespace kernels = steelyard::articulated;
  kernels::Joint joint;
  joint.is_leaf = true;
  const kernels::Body body = {2, {0.3, -0.1, 0}, {0.1, 0, 0, 0.1, 0, 0.5}, 0.25, 0.4, 0.7, 2};
  kernels::View view;
  view.joints = &joint;
  view.bodies = &body;
  view.count = 1;
  view.gravity[1] = -9.81;
  alignas(64) double workspace[kLanes * 16];
  const double q = 0.4, qd = 2, tau = 3,
               expected = (tau - 9.81 * (0.3 * std::cos(q) + 0.1 * std::sin(q))) / 0.75;
  double qdd = 0, back = 0, failed = 0;
  kernels::baseline_table()->forward(view, {&q, &qd, &tau, 1, 1, &qdd, 1, &failed, nullptr, workspace});
  kernels::baseline_table()->inverse(view, {&q, &qd, &qdd, 1, 1, &back, 1, nullptr, nullptr, workspace});
  return failed == -1 && std::fabs(qdd - expected) < 1e-14 && std::fabs(back - tau) < 1e-14;
}

int main() {
  const Table& table = *baseline_table();
  double worst = 0;
  for (int k = -2000; k < 2000; ++k) {
    const double q = 0.7318 * k;
    double s, c;
    table.sin_cos(&q, &s, &c, 1);
    worst = std::fmax(worst, std::fmax(std::fabs(s - std::sin(q)), std::fabs(c - std::cos(q))));
  }
  // The C library's own error adds half a unit in the last place.
  if (!(worst < 4e-16)) return std::printf("sin and cos are off by %g\n", worst), 1;

  // A link turning about the horizontal z axis under gravity −y: τ = Jzz q̈ + g (mx cos q − my sin q).
  Link link;
  link.own_z = link.simple = true;
  const Size place = 0;
  View view;
  view.links = &link;
  view.link_count = view.channels = 1;
  view.places = &place;
  view.gravity[1] = -9.81;
  view.twist_vectors = kTwist;
  alignas(64) double workspace[kLanes * 32], tile[10 * kLanes];
  const double q = 0.4, qd = 2, qdd = 3;
  table.torque(view, {&q, &qd, &qdd, 1, 1, tile, kLanes, workspace});
  const double expected[10] = {0, 9.81 * std::cos(q), -9.81 * std::sin(q), 0, 0, 0, 0, 0, 0, qdd};
  for (int k = 0; k < 10; ++k) {
    if (!(std::fabs(tile[k * kLanes] - expected[k]) < 1e-14)) {
      return std::printf("column %d is %g instead of %g\n", k, tile[k * kLanes], expected[k]), 1;
    }
  }
  if (!pendulum_moves()) return std::printf("forward or inverse dynamics of the pendulum are wrong\n"), 1;
  return 0;
}
