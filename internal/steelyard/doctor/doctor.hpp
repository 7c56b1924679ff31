// The doctor: what is wrong with a log or a set-up, before the actual fit.
//
//   every run     one pass over the samples: signals (signals.hpp)
//   fit runs      one pass into a coarse copy: set-up (set_up.hpp), jumps (jump.hpp), excitation
//                 one pass over its head: delays (delay.hpp)
//   other runs    a coarse copy of each: its set-up against the model of the fit runs, or like a fit run
//                 if there are none
//   pairs         runs that repeat each other's motion (motion.hpp)
//
// Three passes per run, and half a second for the set-up regardless of the length of the log; with `head` the
// copy is taken from the beginning of a long log, or from all of it when the motion there is too poor.
// Signals that spoil a run's copy (values that are not finite, spikes, encoder wraps, a dead effort) leave
// the set-up of that run unexamined, which is reported; the other runs are still examined.
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

namespace steelyard::inline STEELYARD_ABI {

struct ExaminedRun {
  RunLabel label;
  std::function<std::unique_ptr<SampleSource>()> open;  // on the joint side; called once for each pass
  std::optional<SignalScan> signals = {};               // of an earlier pass; absent: there is one here
  // What the study's model has beside the robot's; see CoarseRun.
  std::vector<ExtraColumns> extra = {};
  std::vector<ExtraColumns> known = {};
  SignalUse use = {};
  VectorXd effort_delay = {};     // [s] per joint, undone; empty: none
  bool delay_is_settled = false;  // estimated before, or given: not examined
};

struct DoctorOptions {
  CoarseOptions coarse{400, 10, "torque"};  // samples of all fit runs together
  SetUpOptions set_up;
  TrialOptions trial;
  std::vector<std::string> columns;  // lead columns of the robot's base; empty: excitation is not examined
  std::string skip_set_up;           // why the set-up must not be examined; empty: it is examined
  std::string skip_remedy;           // what could be done about it
  Index head = 0;                    // samples of a run that copies are made of; 0: all
};

struct Examination {
  std::vector<Finding> findings;  // in the order of the stages above; no runs are named in their evidence
  std::vector<std::vector<std::size_t>> subjects;  // of each finding: the runs it refers to
  std::vector<SignalScan> signals;
  std::vector<std::string> repeats;  // per run: the label of an earlier run with the same motion, or empty
  std::optional<SetUpExamination> set_up;
  std::vector<RunDelay> delays;  // of the runs that were examined for one, in their order
  std::optional<Excitation> excitation;
};

// Evidence that begins with the runs it refers to ("run 'a': …"), where `runs` are several and the finding is
// not of a run as a whole.
std::string name_runs(const Finding& finding, const std::vector<std::string>& subjects, std::size_t runs);

// Throws InputError for runs that cannot be read.
Examination examine(const Robot& robot, const std::vector<ExaminedRun>& runs,
                    const DoctorOptions& options = {});

}  // namespace steelyard
