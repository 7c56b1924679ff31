// What the comparisons of this stage share: the mixture of random robots and the natural scale of efforts.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "oracle/random_robot.hpp"
#include "steelyard/dynamics/dynamics.hpp"

namespace steelyard::oracle {

// Chains and trees of 1 to 9 joints and every geometry, by turns.
inline RandomRobotOptions options_of_seed(std::uint64_t seed) {
  static constexpr Geometry kGeometries[] = {Geometry::any, Geometry::urdf, Geometry::standard_dh,
                                             Geometry::modified_dh};
  RandomRobotOptions options;
  options.joints = 1 + static_cast<int>(seed % 9);
  options.branches = seed % 2 == 0;
  options.geometry = kGeometries[seed / 2 % 4];
  options.prismatic_share = seed % 5 == 0 ? 0 : 0.3;
  return options;
}

// Largest magnitude; infinite when something is not a number, which maxCoeff would overlook.
inline double largest(const MatrixXd& values) {
  return values.allFinite() ? values.cwiseAbs().maxCoeff() : std::numeric_limits<double>::infinity();
}

// Largest force and moment (about 1 m) carried anywhere in the robot: an effort is a projection of these.
inline double effort_scale(const InverseDynamics& result) {
  double scale = 0;
  for (const JointWrench& wrench : result.wrenches) {
    scale = std::max({scale, wrench.force.norm(), wrench.moment.norm()});
  }
  return scale;
}

// A random robot in a random state, ready for use.
struct RandomCase {
  explicit RandomCase(std::uint64_t number)
      : seed(number),
        robot(random_robot(seed, options_of_seed(seed))),
        tree(compile(robot)),
        parameters(standard_parameters(robot)),
        random(seed + 1000),
        x(random_state(random, robot.size())) {}

  Vector6 tool_wrench() {
    Vector6 w;
    w << random.vector(20), random.vector(5);
    return w;
  }
  MatrixXd mass_at(const VectorXd& q) const { return mass_matrix(tree, parameters, q); }
  double scale() const { return effort_scale(newton_euler(tree, parameters, x.q, x.qd, x.qdd)); }

  std::uint64_t seed;
  Robot robot;
  Tree tree;
  VectorXd parameters;
  Random random;
  State x;
};

// Calls check(RandomCase&) for the seeds 1 … count; a failure prints the seed and the robot.
template <class Check>
void for_random_robots(std::uint64_t count, Check&& check) {
  for (std::uint64_t seed = 1; seed <= count; ++seed) {
    RandomCase random_case(seed);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + to_string(random_case.robot));
    check(random_case);
  }
}

}  // namespace steelyard::oracle
