// Is the effort recorded later or earlier than the position? Rows are fitted with τ(t + δ) instead of τ(t),
// δ from −80 to 80 ms, of all joints or of one at a time.
//
//   gain  = Σ_j ½ ln( (r_j² + f_j²) / (r_j(δ)² + f_j²) )     what shifting explains beyond what sensors leave
//   plain = the same with f_j = 0
//
// r_j is the share of joint j's effort that is not explained, f_j as in trial.hpp, but once the second
// smallest residual. A joint is late when neither a common delay gains half as much as its own, nor any
// other joint once it is mended, and
//   gain > 0.22, or
//   plain > 0.12, and more than half of it remains when the joint's friction may build up over a way.
// The second is for lightly loaded joints. Friction of presliding and hysteresis looks like a delay in them:
// the Panda's joint 7 as it is has plain 0.4 at 40 ms, and a third remains. A joint whose effort is mostly
// friction can therefore hide a delay. Efforts that are early are rare; they must gain twice as much. All
// joints are late when a common delay has plain > 0.04 per joint.
//
// Healthy logs gain too. Coulomb friction behind the copy's filter rings after a reversal, which moves with a
// shift: in both cases the plain limit must also be exceeded on rows twice as far from reversals, by
//   away = Σ_j ½ ln( (r_j² + 0.01²) / (r_j(δ)² + 0.01²) )     1 % is what the copy leaves of a perfect log
// Efforts of another time have other noise: from n rows, ½ ln of two residuals' ratio has the deviation
// 1/√n by chance, more than the limit of a common delay when there are few joints. Of a common delay, away
// must be 2.8 times its deviation. A delay is there all the time: away must be positive in three of four
// stretches of the rows, which a contact or a bad sample alone is not.
#pragma once

#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/core/finding.hpp"
#include "steelyard/doctor/trial.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

struct DelayEstimate {
  double seconds = 0;   // by which the effort is late
  double gain = 0;      // see above
  double plain = 0;     // see above
  double away = 0;      // see above; not of `Delays::joints`
  int stretches = 0;    // of four, in which `away` is positive
  double residual = 0;  // log of the residual without over that with the delay; of all joints: summed
};

// The joint that gains most, and what the others gain once it is mended.
struct DelayedJoint {
  int joint = -1;  // −1: none gains
  DelayEstimate estimate;
  double others = 0;
  double beyond_friction = 0;  // plain gain when its friction may build up over a way
};

struct Delays {
  std::vector<DelayEstimate> joints;  // one at a time, the largest gain
  DelayEstimate common;               // of all
  DelayedJoint loaded;                // by gain
  DelayedJoint light;                 // by plain gain
  double chance = 0;                  // deviation of a common delay's gain, √(Σ_j 1/n_j)
};

Delays examine_delays(const Trial& trial);

// `step`: of the log [s]; shorter delays do not count.
std::vector<Finding> find_delays(const Delays& delays, const Robot& robot, double step);

}  // namespace STEELYARD_ABI
}  // namespace steelyard
