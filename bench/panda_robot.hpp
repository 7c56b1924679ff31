// The 7-joint Panda of kdl_reference.hpp, as our library has it.
#pragma once

#include <string>

#include "kdl_reference.hpp"
#include "steelyard/robot/robot.hpp"

inline steelyard::Robot panda_robot() {
  using namespace steelyard;
  Robot robot;
  robot.name = "panda";
  double parameters[70];
  KdlReference::parameters(parameters);
  for (int i = 0; i < 7; ++i) {
    const std::string number = std::to_string(i + 1);
    Joint joint;
    joint.name = "joint" + number;
    joint.link = "link" + number;
    joint.parent = i - 1;
    joint.before = {{Motion::turn_x, kPanda.alpha[i], "alpha" + number},
                    {Motion::move_x, kPanda.a[i], "a" + number},
                    {Motion::move_z, kPanda.d[i], "d" + number}};
    joint.inertia = Inertia::from_standard(Vector10(Eigen::Map<const Vector10>(parameters + 10 * i)));
    robot.joints.push_back(joint);
  }
  return robot;
}
