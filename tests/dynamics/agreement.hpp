// What the comparisons of this stage share: the mixture of random robots and the natural scale of efforts.
#pragma once

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

// Largest force and moment (about 1 m) carried anywhere in the robot: an effort is a projection of these.
inline double effort_scale(const InverseDynamics& result) {
  double scale = 0;
  for (const JointWrench& wrench : result.wrenches) {
    scale = std::max({scale, wrench.force.norm(), wrench.moment.norm()});
  }
  return scale;
}

}  // namespace steelyard::oracle
