// Is the effort recorded later or earlier than the position? Rows are fitted with τ + δ dτ/dt instead of τ;
// the δ with the smallest residual of the joint's own rows is how much the effort is late.
//
// First order in δ: right while δ times the motion's frequency is small (20 ms at 2 Hz: 3 %). Friction that
// builds up over a way (presliding, hysteresis) looks like a delay of some milliseconds in lightly loaded
// joints; that is why a delay counts only when all joints agree, or when one joint's alone explains much
// beyond what sensors leave:
//   gain = Σ_j ½ ln( (r_j² + f_j²) / (r_j(δ)² + f_j²) ) > 0.12, more than that of a common delay, and no
//   other joint gains half as much
// with f_j as in trial.hpp, but once the second smallest residual. Efforts that are early are rare; they must
// gain 0.3.
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
  double residual = 0;  // log of the residual without over that with the delay; of all joints: summed
};

struct Delays {
  std::vector<DelayEstimate> joints;  // one at a time
  DelayEstimate common;               // of all
};

Delays examine_delays(const Trial& trial, double most = 0.05);

// `step`: of the log [s]; shorter delays do not count.
std::vector<Finding> find_delays(const Delays& delays, const Robot& robot, double step);

}  // namespace STEELYARD_ABI
}  // namespace steelyard
