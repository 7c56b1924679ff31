// Is the effort recorded later or earlier than the position? The model with the efforts of every joint at its own time,
//
//   τ_j(t + δ_j) = Y_j(t) π                              min over π and δ of Σ_j w_j ‖τ_j(t + δ_j) − Y_j π‖²
//
// from the first `samples` of a run, positions filtered an octave above, columns and efforts at 10 Hz (a ninth of the rate where
// that is lower), π shared by the fitted runs of a payload; any other run is on its own. What δ takes is a fraction of a sample:
// efforts are columns at times some 12 ms apart, and eight of them give any other time (src/doctor/delay_rows.hpp).
//
// Friction must not look like a delay. Rows near reversals do not count: slower than 0.15 of the joint's rms velocity, or
// |q̇| ≤ 0.3/cut-off |q̈|. Beside the robot's parameters every joint has, run by run, friction that builds up over a displacement
// (dz/dq = (sign q̇ − z)/way, way 0.2, 1 and 5 % of its range) and friction that fades with its speed.
//
// An interval comes from the estimates without one of some 16 sections of the run each (jackknife, Student's t): they contain
// what coloured noise and an incomplete model do from section to section. It is what the delays are judged by, and by
//
//   gain   = ½ ln( (Σ e² without the delay + o) / (Σ e² with it + o) )   of held-out sections, δ and π from the others;
//            o = 0.005² Σ τ², which filters and differences leave of a perfect log
//   better = share of the sections that the delay predicts better
//
// All joints are late when the interval of their common delay, widened by the disagreement of single joints, is two half widths
// from zero (Student's t of 4.3, by chance in less than one log in 10³), gain > 0.01 and better ≥ 0.7; one joint when its own is three half widths from zero (or from a common one)
// and gain > 0.15 (0.05). A robot of one joint counts as one joint. A minimum at the end of the range is none.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/core/finding.hpp"
#include "steelyard/fold/layout.hpp"
#include "steelyard/log/run.hpp"
#include "steelyard/log/source.hpp"
#include "steelyard/robot/robot.hpp"

namespace steelyard::inline STEELYARD_ABI {

// A run whose efforts may be late.
struct DelayedRun {
  RunLabel label;
  std::function<std::unique_ptr<SampleSource>()> open;  // on the joint side
  // What the study's model has beside the robot's; see CoarseRun.
  std::vector<ExtraColumns> extra = {};
  std::vector<ExtraColumns> known = {};
};

struct DelayOptions {
  std::string effort = "torque";
  std::vector<std::string> also = {};  // further channels that known efforts are made of
  Index samples = 100000;              // of a run, from its beginning
  double level = 0.95;                 // of intervals
  int threads = 1;
};

struct DelayValue {
  double seconds = 0;     // by which the effort is late
  double half_width = 0;  // of the interval
  double gain = 0;        // see above; of the common delay the mean over the joints
  double better = 0;      // see above
};

struct RunDelay {
  std::string label;
  std::string why_not;  // not estimated; empty: it is
  DelayValue common;
  double widened = 0;  // half width of the common delay, with the disagreement of the joints
  std::vector<DelayValue> joints;
  VectorXd certain;        // [s] per joint, what is to be undone; zeros where no delay is certain
  bool of_all = false;     // a common delay is certain
  std::vector<int> alone;  // joints that have a delay of their own
};

// One for each run, in order. Runs of one payload share a model.
std::vector<RunDelay> estimate_delays(const Robot& robot, const std::vector<DelayedRun>& runs,
                                      const DelayOptions& options = {});

// About certain delays that nothing undoes: what, and the runs (numbers in the list).
struct DelayFinding {
  Finding finding;
  std::vector<std::size_t> runs;
};
std::vector<DelayFinding> delay_findings(const std::vector<RunDelay>& delays, const Robot& robot);

}  // namespace steelyard
