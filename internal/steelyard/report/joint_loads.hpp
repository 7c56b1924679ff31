// What the joints carry inside along a motion by several sets of links: a table and a picture for files.
#pragma once

#include <string>
#include <vector>

#include "steelyard/feasible/compare.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct JointLoads {
  std::string robot;
  std::vector<std::string> joints;
  MotionSamples motion;
  std::vector<WrenchCurves> sets;
};

// One line per sample, set and joint: time,set,joint,fx,fy,fz,mx,my,mz,torque.
std::string joint_loads_csv(const JointLoads& loads);

// The size of the force in every joint over time, one panel per joint with one line per set. Panels in which the
// largest values of the sets differ by more than a factor of ten have a logarithmic axis.
std::string joint_loads_svg(const JointLoads& loads);

}  // namespace steelyard
