// Instants of the fitted motion at which the force in each joint is largest, and is bounded.
#pragma once

#include <string>
#include <vector>

#include "steelyard/feasible/compare.hpp"
#include "steelyard/log/prepare.hpp"
#include "steelyard/robot/robot.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct ForceInstant {
  std::string run;
  double time = 0;    // [s] of the run
  double force = -1;  // ‖force‖ there by the given parameters [N]
  VectorXd q, qd, qdd;
};

// About a thousand evenly spread instants of a run (one more pass over it).
MotionSamples motion_of(const Robot& robot, PreparedRun& run);

// One instant per joint, among about a thousand evenly spread ones of each run (one more pass over it);
// without runs among those of a sinusoidal motion. `bodies`: 10 parameters per link.
std::vector<ForceInstant> largest_forces(const Robot& robot, const std::vector<PreparedRun*>& runs,
                                         const VectorXd& bodies);

}  // namespace steelyard
