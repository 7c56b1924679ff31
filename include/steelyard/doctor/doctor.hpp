// The doctor: what is wrong with a log or a set-up, before anything is fitted in earnest.
//
//   every run     one pass over the samples: signals (signals.hpp)
//   fit runs      one pass into a coarse copy: set-up (set_up.hpp), delays, excitation
//   pairs         runs that repeat each other's motion (motion.hpp)
//
// Two passes a run and well under a second, whatever the log's length. Signals that spoil the copy (values
// that are not numbers, turns of an encoder, a dead position) leave the set-up unexamined, and it is said.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/core/finding.hpp"
#include "steelyard/doctor/coarse.hpp"
#include "steelyard/doctor/delay.hpp"
#include "steelyard/doctor/excitation.hpp"
#include "steelyard/doctor/set_up.hpp"
#include "steelyard/doctor/signals.hpp"
#include "steelyard/log/run.hpp"
#include "steelyard/robot/robot.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

struct ExaminedRun {
  RunLabel label;
  std::function<std::unique_ptr<SampleSource>()> open;  // on the joint side; called once for each pass
};

struct DoctorOptions {
  CoarseOptions coarse{400, 10, "torque"};  // samples of all fit runs together
  SetUpOptions set_up;
  TrialOptions trial;
  std::vector<std::string> columns;  // lead columns of the robot's base; empty: excitation is not examined
  std::string skip_set_up;           // why the set-up is not to be examined; empty: it is
};

struct Examination {
  std::vector<Finding> findings;  // in the order of the stages above
  std::vector<SignalScan> signals;
  std::vector<std::string> repeats;  // per run: the label of an earlier run with the same motion, or empty
  std::optional<SetUpExamination> set_up;
  std::optional<Delays> delays;
  std::optional<Excitation> excitation;
};

// Throws InputError for runs that cannot be read.
Examination examine(const Robot& robot, const std::vector<ExaminedRun>& runs,
                    const DoctorOptions& options = {});

}  // namespace STEELYARD_ABI
}  // namespace steelyard
