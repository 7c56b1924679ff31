// Robots, options and distances that the tests of motions share.
#pragma once

#include <algorithm>
#include <string>

#include "steelyard/excite/motion.hpp"
#include "steelyard/robot/read.hpp"

namespace steelyard {

struct ExciteCase {
  Robot robot;
  BaseParameters base;
  ExciteOptions options;
};

// Viscous, Coulomb and offset columns for every joint; masses of the file, if it has them, as prior.
inline ExciteCase excite_case(Robot robot) {
  ExciteCase c;
  c.robot = std::move(robot);
  for (Joint& joint : c.robot.joints) joint.drive.viscous = joint.drive.coulomb = joint.drive.offset = true;
  BaseOptions base;
  base.expressions = false;
  c.base = base_parameters(c.robot, base);
  c.options.prior = prior_from_masses(c.robot, c.base);
  c.options.starts = 1;
  return c;
}

inline ExciteCase excite_case(const std::string& name) {
  return excite_case(read_robot(STEELYARD_SOURCE_DIR "/robots/" + name + ".yaml").robot);
}

inline ExciteCase panda_case() {
  ExciteCase c = excite_case("panda");
  c.options.duration = 21;
  return c;
}

// Two capsules as points, `steps` of them along each: never less than the distance between the capsules.
inline double sampled_distance(const std::vector<Pose>& poses, const Capsule& a, const Capsule& b,
                               int steps) {
  const auto point = [&](const Capsule& c, int k) {
    const Vector3 local = c.from + (static_cast<double>(k) / steps) * (c.to - c.from);
    if (c.link < 0) return local;
    const Pose& pose = poses[static_cast<std::size_t>(c.link)];
    return Vector3(pose.rotation * local + pose.position);
  };
  double smallest = kInfinity;
  for (int i = 0; i <= steps; ++i)
    for (int j = 0; j <= steps; ++j) smallest = std::min(smallest, (point(a, i) - point(b, j)).norm());
  return smallest - a.radius - b.radius;
}

}  // namespace steelyard
