// Faults to put into clean logs, one at a time, seeded.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "real_logs.hpp"
#include "steelyard/doctor/hypotheses.hpp"

namespace steelyard::testing {

// A fault of the signals: what it does to the run, and what must be said.
struct SignalFault {
  std::string name;
  std::string code;
  std::string joint;  // empty: the finding refers to the run or to all joints
  std::function<void(Run&)> apply;
};
std::vector<SignalFault> signal_faults(const RealLog& log);

// A fault of the set-up, as the hypothesis that would mend it; `robot` is the one that is given.
struct SetUpFault {
  Hypothesis mend;
  Robot robot;
  Run run;
};
// Every kind of hypothesis at several joints; with STEELYARD_EVERY_FAULT=1 at all of them, some 200 a log.
std::vector<Hypothesis> set_up_faults(const RealLog& log);
SetUpFault inject(const RealLog& log, const Hypothesis& mend);
// The fault that `mend` undoes: in the run, or in the robot.
void put(const Hypothesis& mend, Robot& robot, Run& run);

// By how much residuals are larger with the fault than without, and the standard deviation of that: section by section.
struct Growth {
  double mean = 0, deviation = 0;
  double sections = 0;
  bool shows() const;     // outside the 95 % interval of Student's t
  bool is_plain() const;  // and by a quarter of one joint's residual
};
// Σ_j ln r_j of the held-out sections, r_j a joint's residual over its effort; no allowance for what sensors leave.
std::vector<double> residual_logs(const Robot& robot, const Run& run);
Growth growth(const std::vector<double>& clean, const std::vector<double>& faulty);

// Efforts later by `seconds`, one joint or all (−1).
void delay_efforts(Run& run, double seconds, int joint);

}  // namespace steelyard::testing
