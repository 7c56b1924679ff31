// Is the effort recorded later or earlier than the position? Rows are fitted with τ(t + δ) instead of τ(t),
// δ from −80 to 80 ms, of all joints or of one at a time.
//
//   gain  = Σ_j ½ ln( (r_j² + f_j²) / (r_j(δ)² + f_j²) )     what shifting explains above the noise floor
//   plain = the same with f_j = 0
//
// r_j is the unexplained share of joint j's effort, f_j the floor of trial.hpp, but once the second smallest
// residual. A joint is late when neither a common delay nor, once its delay is corrected, any other joint
// gains half as much, and
//
//   gain > 0.22, or
//   plain > 0.12, and more than half of it remains when the joint's friction may build up over a stroke.
//
// The second rule is for lightly loaded joints, in which presliding friction and hysteresis look like a
// delay: the Panda's joint 7 has plain 0.4 at 40 ms, and a third remains. A joint whose effort is mostly
// friction can therefore hide a delay. Early efforts are rare; they must gain twice as much. All joints are
// late when a common delay has plain > 0.04 per joint.
//
// Healthy logs gain too. Coulomb friction behind the copy's filter rings after a reversal, and the ringing
// moves with a shift: in both cases the plain limit must also be exceeded on rows twice as far from
// reversals,
//
//   away = Σ_j ½ ln( (r_j² + 0.01²) / (r_j(δ)² + 0.01²) )     1 % is the copy's own error on a perfect log
//
// Efforts of another time have other noise: from n rows, ½ ln of two residuals' ratio has the standard
// deviation 1/√n by chance, more than the limit of a common delay when there are few joints. For a common
// delay, away must be 2.8 times its standard deviation. A delay is present throughout: away must be positive
// in three of four sections of the rows, unlike for a contact or a bad sample.
#pragma once

#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/core/finding.hpp"
#include "steelyard/doctor/trial.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct DelayEstimate {
  double seconds = 0;   // by which the effort is late
  double gain = 0;      // see above
  double plain = 0;     // see above
  double away = 0;      // see above; not of `Delays::joints`
  int stretches = 0;    // of four, in which `away` is positive
  double residual = 0;  // log of the residual without over that with the delay; of all joints: summed
};

// The joint that gains most, and what the others gain once it is corrected.
struct DelayedJoint {
  int joint = -1;  // −1: none gains
  DelayEstimate estimate;
  double others = 0;
  double beyond_friction = 0;  // plain gain when its friction may build up over a displacement
};

struct Delays {
  std::vector<DelayEstimate> joints;  // one at a time, the largest gain
  DelayEstimate common;               // of all
  DelayedJoint loaded;                // by gain
  DelayedJoint light;                 // by plain gain
  double chance = 0;                  // standard deviation of a common delay's gain, √(Σ_j 1/n_j)
};

Delays examine_delays(const Trial& trial);

// `step`: of the log [s]; shorter delays do not count.
std::vector<Finding> delay_findings(const Delays& delays, const Robot& robot, double step);

}  // namespace steelyard
