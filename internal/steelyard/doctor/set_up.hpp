// Is the set-up right? All hypotheses are tested on the coarse log; one is reported when it is clearly better
// than the set-up as given.
//
// Every hypothesis is scored on all rows (quick), the best few are refined where they have a free number
// (gain, angle, length, direction, factor of time) and scored on held-out rows. The best one is reported when its score is lower
// than the given set-up's
//   by more than `min_gain` on held-out rows (`term_gain` for what the model lacks),
//   by `certainty` standard errors of the eight sections' gains, in six of them at least, and
//   by two fifths of it on all rows as well, a fifth above `very_certain` standard errors, or `clear_gain`.
// On top of it all hypotheses are tested once more: the second mistake, or what the model lacks besides.
// Scores are trial.hpp's: a gain of 0.3 is one joint's residual down by a quarter, or several by less,
// beyond what sensors leave. Set on strangers (scripts/strangers). Hypotheses
// within `tie` of the best explain the log equally well and are reported with it.
//
// A run that is not fitted is tested against the model of those that are. Only friction and offsets, which differ from day to
// day, are fitted to it. A mistake is reported when it gains more than `clear_gain` besides, and at least `min_share` of what the
// run is worse explained than the fitted ones. Another load is a term: another temperature, which no set-up explains, is left to
// the validation.
//
// What it cannot detect: faults that free parameters absorb (see trial.hpp), three faults at once.
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
  double min_gain = 0.3;   // of a mistake
  double term_gain = 0.2;  // of what the model lacks
  double certainty =
      3.5;  // standard errors of the sections' mean gain (Student's t of eight: by chance in one of 200)
  double very_certain = 4.5;
  double tie = 0.2;
  double tie_share = 0.3;  // of the best gain
  double min_share = 0.7;
  int finalists = 12;
  double max_excess = 0.8;  // held-out over fitted score, per joint: above it the log is too poor to judge by
  int threads = 1;
};

struct RankedHypothesis {
  Hypothesis hypothesis;
  TrialFit fit;
  double gain = 0;         // on held-out rows
  double gain_fitted = 0;  // on all rows
  int stretches = 0;       // held-out blocks in which it is better
  double certainty = 0;    // mean of the blocks' gains over its standard error
};

struct SetUpExamination {
  TrialFit given;
  std::vector<RankedHypothesis> ranked;   // finalists, the best first
  bool too_poor = false;                  // nothing was tested: held-out rows are not predicted at all
  bool beaten = false;                    // the first of them is reported
  std::vector<RankedHypothesis> further;  // on top of that one
  bool second = false;                    // the first of these is reported, too
  // Two that show only beside each other: `ranked` is on top of the second, `further` of the first. What each alone leaves.
  std::optional<TrialFit> without_first, without_second;
  Hypothesis found;  // all that is reported, and its fit
  TrialFit fit;

  // Springs and stops are no mistake of the set-up.
  bool is_wrong() const;
};

SetUpExamination examine_set_up(const Trial& trial, const SetUpOptions& options = {});

// One run against a model: `model` is the trial of the fitted runs, `found` its examination, `run` the trial of the other one.
// Nothing is too poor for it.
SetUpExamination examine_against(const Trial& model, const SetUpExamination& found, const Trial& run,
                                 const SetUpOptions& options = {});

// The reported hypothesis and those that are as good; empty when none is.
std::vector<const RankedHypothesis*> tied(const SetUpExamination& examination,
                                          const SetUpOptions& options = {});

std::vector<const RankedHypothesis*> tied_second(const SetUpExamination& examination,
                                                 const SetUpOptions& options = {});

// Nothing, or one error for the best hypothesis.
std::vector<Finding> set_up_findings(const SetUpExamination& examination, const Robot& robot,
                                     const SetUpOptions& options = {});

}  // namespace steelyard
