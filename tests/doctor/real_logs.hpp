// The public real logs, in memory and on the joint side, with the robots they were made with.
#pragma once

#include <string>
#include <vector>

#include "steelyard/log/run.hpp"
#include "steelyard/robot/robot.hpp"

namespace steelyard::testing {

struct RealLog {
  std::string name;
  Robot robot;
  std::vector<std::string> joints;
  Run run;
};

// "panda", "ur10", "tx40", "lwr1", "lwr2", "lwr3", "kinova1" (RunTrajectory1), "kinova2", "kinova3", "tiago",
// "kr300". The data folder must be there.
RealLog real_log(const std::string& name);

}  // namespace steelyard::testing
