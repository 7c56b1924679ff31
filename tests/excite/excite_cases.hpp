// Robots and options that the tests of motions share.
#pragma once

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

}  // namespace steelyard
