// The published 2R arm with its corrected constraints: column 1 a cylinder about y1, link 2 a cylinder that
// ends in a truncated cone.
#pragma once

#include <cmath>

#include "steelyard/core/random.hpp"
#include "steelyard/feasible/compare.hpp"
#include "steelyard/feasible/constraints.hpp"
#include "steelyard/feasible/objective.hpp"
#include "steelyard/robot/read.hpp"

namespace steelyard::two_r {

inline constexpr double kR1 = 0.15, kR2 = 0.08, kR3 = 0.02, kCone = 0.2;

inline Robot robot() {
  return read_robot(std::string(STEELYARD_SOURCE_DIR) + "/robots/two_r.yaml").robot;
}

// The published bounds, bodies that can exist, 1 ≤ m1 + m2 ≤ 15, and the centres of mass inside the links.
inline std::vector<Constraint> constraints(const Robot& robot, const Quantities& quantities,
                                           bool shapes = true) {
  std::vector<Constraint> all = physical_constraints(robot, quantities);
  all.push_back(total_mass(quantities, 1, 15));
  if (!shapes) return all;
  all.push_back(
      {"inside the column", expression_bound(quantities, "0.15 - hypot(c1x, c1z)", 0, kInfinity), {}});
  all.push_back(
      {"inside link 2",
       expression_bound(quantities,
                        "if(c2x < -0.2, 0.08, 0.08 + (0.02 - 0.08)/0.2*(0.2 + c2x)) - hypot(c2y, c2z)", 0,
                        kInfinity),
       {}});
  return all;
}

// A sinusoidal motion of five seconds.
inline MotionSamples motion() {
  MotionSamples samples;
  samples.label = "sinusoids";
  constexpr int kCount = 500;
  for (MatrixXd* channel : {&samples.q, &samples.qd, &samples.qdd}) channel->resize(kCount, 2);
  const double amplitude[] = {1.0, 0.8}, rate[] = {1.3, 2.1};
  for (int s = 0; s < kCount; ++s)
    for (int j = 0; j < 2; ++j) {
      const double w = rate[j], a = amplitude[j], t = 0.01 * s;
      samples.q(s, j) = a * std::sin(w * t);
      samples.qd(s, j) = a * w * std::cos(w * t);
      samples.qdd(s, j) = -a * w * w * std::sin(w * t);
    }
  return samples;
}

}  // namespace steelyard::two_r
