// Is the set-up right? All hypotheses are tested on the coarse log; one is reported when it is clearly better
// than the set-up as given.
//
// Every hypothesis is scored on all rows (quick), the best few are refined where they have a free number
// (gain, direction, factor of time) and scored on held-out rows. The best one is reported when
//   its score is lower than the given set-up's by more than `clear_gain` on held-out rows and by half of that
//   on all rows, and lower in at least three of the four held-out blocks; or
//   the same by more than `min_gain`, in all sections, and no other hypothesis gains half as much.
// Scores are trial.hpp's: a gain of 0.5 is one joint's residual down by two fifths, or several by less,
// beyond what sensors leave. A log that the model does not explain well (the LWR4+'s) lets many hypotheses
// gain up to 0.4, none of them alone; on the others of the public logs none gains more than 0.05. Hypotheses
// within `tie` of the best explain the log equally well and are reported with it.
//
// A run that is not fitted is tested against the model of those that are: nothing is fitted to it, so that
// free parameters absorb nothing. A hypothesis is reported when it explains more than `clear_gain` of the
// score, and at least `min_share` of what the run is worse explained than the fitted ones. A payload or
// another temperature, which no set-up explains, is left to the validation.
//
// What it cannot detect: faults that free parameters absorb (see trial.hpp), two faults at once.
#pragma once

#include <optional>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/core/finding.hpp"
#include "steelyard/doctor/hypotheses.hpp"
#include "steelyard/doctor/trial.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct SetUpOptions {
  double clear_gain = 0.5;
  double min_gain = 0.2;
  double tie = 0.2;
  double min_share = 0.7;
  int finalists = 8;
  double max_excess = 0.8;  // held-out over fitted score, per joint: above it the log is too poor to judge by
  int threads = 1;
};

struct RankedHypothesis {
  Hypothesis hypothesis;
  TrialFit fit;
  double gain = 0;         // on held-out rows
  double gain_fitted = 0;  // on all rows
  int stretches = 0;       // held-out blocks in which it is better
};

struct SetUpExamination {
  TrialFit given;
  std::vector<RankedHypothesis> ranked;  // finalists, the best first
  bool too_poor = false;                 // nothing was tested: held-out rows are not predicted at all
  bool beaten = false;                   // the first of them is reported
};

SetUpExamination examine_set_up(const Trial& trial, const SetUpOptions& options = {});

// One run against a model: `model` is the trial of the fitted runs, `fit` its set-up as given, `run` the
// trial of the other one. Nothing is too poor for it.
SetUpExamination examine_against(const Trial& model, const TrialFit& fit, const Trial& run,
                                 const SetUpOptions& options = {});

// The reported hypothesis and those that are as good; empty when none is.
std::vector<const RankedHypothesis*> tied(const SetUpExamination& examination,
                                          const SetUpOptions& options = {});

// Nothing, or one error for the best hypothesis.
std::vector<Finding> set_up_findings(const SetUpExamination& examination, const Robot& robot,
                                     const SetUpOptions& options = {});

}  // namespace steelyard
