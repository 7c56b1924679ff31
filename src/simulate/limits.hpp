// The robot's limits along a motion.
#pragma once

#include "steelyard/robot/robot.hpp"

namespace steelyard::inline STEELYARD_ABI {

// q, q̇, q̈ of all coordinates, one column each, one row per sample.
struct States {
  States(Index count, Index joints) : q(count, joints), qd(count, joints), qdd(count, joints) {}
  MatrixXd q, qd, qdd;
};

class LimitCheck {
 public:
  explicit LimitCheck(const Robot& robot);

  // Throws InputError for the first sample from row `from` on that is outside a limit of position, velocity
  // or acceleration, with joint, time and limit. Mimic joints are joints too.
  void operator()(const VectorXd& time, const States& states, Index from) const;

 private:
  Coordinates coordinates_;
  std::vector<std::string> names_;
  std::vector<Limits> limits_;
};

}  // namespace steelyard
