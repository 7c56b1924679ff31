// The robot and its motions as the report draws them.
//
// A motion is a run thinned out to about a thousand samples as they were logged: enough to play it and to see
// where joints were, not to compute with.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/robot/robot.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

struct RunMotion {
  std::string run;
  std::vector<double> time;                   // [s]
  std::vector<std::vector<double>> position;  // one list per independent coordinate of the robot
};

struct Scene {
  std::optional<Robot> robot;  // absent: there is nothing to draw
  std::vector<RunMotion> motions;
};

}  // namespace STEELYARD_ABI
}  // namespace steelyard
