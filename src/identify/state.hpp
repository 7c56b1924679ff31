// A study on its way: what every step has found so far, for the steps after it.
//
//   open_robot → choose_cutoff → open_runs → fold_runs → estimate_runs → find_intervals → predict_runs →
//   cross_validate_runs → summarize → judge_runs
//
// A step reads what earlier ones left and adds its own part; run_study() is the list of the steps.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "identify/feasible.hpp"
#include "identify/friction_state.hpp"
#include "identify/signs_state.hpp"
#include "steelyard/doctor/signals.hpp"
#include "steelyard/estimate/bias.hpp"
#include "steelyard/estimate/cross_validation.hpp"
#include "steelyard/estimate/estimate.hpp"
#include "steelyard/estimate/instrument.hpp"
#include "steelyard/estimate/intervals.hpp"
#include "steelyard/fold/fold_file.hpp"
#include "steelyard/fold/pass.hpp"
#include "steelyard/identify/run.hpp"
#include "steelyard/log/prepare.hpp"
#include "steelyard/regressor/base.hpp"
#include "steelyard/regressor/plan.hpp"
#include "steelyard/validate/predict.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

// Wall time of the stages, and progress.
class StudyClock {
 public:
  explicit StudyClock(const StudyOptions& options) : options_(options) {}

  template <typename Work>
  auto time(const std::string& stage, Work work) {
    report(stage, 0);
    const auto begin = std::chrono::steady_clock::now();
    const auto end = [&] {
      const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
      times_.push_back({stage, seconds.count()});
      report(stage, 1);
    };
    if constexpr (std::is_void_v<decltype(work())>) {
      work();
      end();
    } else {
      auto value = work();
      end();
      return value;
    }
  }
  void report(const std::string& stage, double share) const;
  const std::vector<StageTime>& times() const { return times_; }

 private:
  const StudyOptions& options_;
  std::vector<StageTime> times_;
};

// A run on its way through the passes.
struct RunState {
  const StudyRun* run = nullptr;
  std::unique_ptr<PreparedRun> prepared;  // null: the run is folds, without samples
  std::optional<FoldPass> folds;
  Preparation folded_preparation;      // of a run that is folds: as far as they tell it
  std::optional<double> period;        // of its motion [samples], 0: none; absent: from the prediction
  std::optional<FoldedMotion> motion;  // for its fold file
  Prediction prediction;
  std::string repeats;                           // run with the same motion; empty: none
  std::function<SignalScan()> signals;           // of the last pass; empty: nobody watches
  std::optional<std::vector<Finding>> findings;  // of the doctor about this run; absent: not examined
  std::vector<Finding> made;                     // for its fold file: about gains, friction forms, signs
  std::vector<double> band_coverage;             // per joint
  std::optional<SignedRun> signs;                // of a run without them

  const std::string& label() const { return run->file.label.label; }
  bool is_fit() const { return run->file.label.role == RunRole::fit; }
  const Preparation& preparation() const { return prepared ? prepared->preparation() : folded_preparation; }
};

struct GainState;

struct StudyState {
  StudyState(const Study& the_study, const StudyOptions& the_options)
      : study(the_study), options(the_options), clock(the_options), prepare(the_study.prepare) {
    prepare.threads = the_options.threads;
  }

  const Study& study;
  const StudyOptions& options;
  StudyClock clock;

  // open_robot
  Robot robot;  // with the study's drive terms
  std::string robot_hash;
  std::vector<Complaint> warnings;  // about the robot file
  BaseParameters base;
  Plan plan;  // of the lead columns

  // find_gains; null for studies with torques
  std::shared_ptr<const GainState> gains;

  // recover_run_signs; empty: those that the study assumes
  VectorXd sign_gains;

  // open_runs, fold_runs
  PrepareOptions prepare;  // the study's, with what was chosen automatically
  std::vector<RunState> runs;
  bool find_periods = false;   // while folding, for fold files
  bool watch_signals = false;  // the same
  // Of runs that are read once, by fold_runs (PrepareOptions).
  bool presume_uniform = false;

  // fit_friction_forms
  StudyFriction friction;

  // estimate_runs
  std::vector<Fold> folds;  // of the fit runs, block by block
  std::vector<Fold> priors;
  Estimate estimated;
  std::optional<InstrumentEstimate> instrument;  // method iv
  std::vector<Fold> instrument_folds;            // with instrument columns
  // Blocks of the fit runs as methods iv and huber fold them; empty: those of run.folds.
  std::vector<std::vector<FoldBlock>> estimator_blocks;
  std::optional<Estimate> before_elimination;  // of essential parameters
  // What intervals are about.
  const Estimate& full() const { return before_elimination ? *before_elimination : estimated; }

  // find_intervals
  Intervals intervals;  // in the order of estimated.columns
  std::optional<DifferentiationBias> bias;
  int extra_passes = 0;  // over every fit run, for cut-offs that were tried

  // retrieve_feasible
  std::optional<FeasibleState> feasible;

  std::vector<Finding> findings;  // of any step; summarize adds those about the fit
  Result result;
};

void open_robot(StudyState& state);
void plan_base(StudyState& state);      // base parameters and plan of the state's robot
void choose_cutoff(StudyState& state);  // when the study leaves it open
// The same without a search: that of the folds, otherwise this one [Hz], 0: no filter.
void take_cutoff(double cutoff, StudyState& state);
void open_runs(StudyState& state);
void open_run_state(const StudyState& state, RunState& run);  // of `run.run`
void fold_runs(StudyState& state);
void estimate_runs(StudyState& state);
void find_intervals(StudyState& state);
void predict_runs(StudyState& state);
void cross_validate_runs(StudyState& state);
void summarize(StudyState& state);
void judge_runs(StudyState& state);

// One pass over a run with the study's columns; also at other preparations than the study's. `instruments`:
// folds their columns, too (instrument.hpp).
struct InstrumentMotion;
std::vector<Layout> study_layouts(const StudyState& state);  // of the plan's rows
FoldPass fold_prepared(const StudyState& state, const StudyRun& run, PreparedRun& prepared, PassOptions pass,
                       const std::shared_ptr<const InstrumentMotion>& instruments = nullptr);

// A run's residuals with the state's model; fresh unless it is a fit run.
RunValidation validation_of(const StudyState& state, const RunState& run);

// Result, warnings, times and curves, taken out of the state.
StudyOutcome take_outcome(StudyState& state);

// Folds of the fit runs, block by block, gaps included; blocks are numbered on from run to run.
std::vector<Fold> fit_folds(const std::vector<RunState>& runs);

// Blocks of the fit runs and the groups that are left out together, by phase where a motion is periodic.
struct HeldOut {
  std::vector<std::vector<FoldBlock>> blocks;
  std::vector<std::vector<int>> groups;
  std::string by;  // "index" or "phase"
};
HeldOut held_out_groups(const std::vector<RunState>& runs, const CrossOptions& options);

// Refits without each group, by the estimator that the state's estimate comes from: with its instruments, or
// its weights of single rows, as the fit on everything left them. `blocks` are those of run.folds, as they
// are predicted.
CrossValidation cross_validate_estimator(const StudyState& state,
                                         const std::vector<std::vector<FoldBlock>>& blocks,
                                         const BlockGroups& groups);

// Values in the order of the plan's columns; those the estimate lacks are zero.
VectorXd values_for(const Plan& plan, const Estimate& estimate);

}  // namespace STEELYARD_ABI
}  // namespace steelyard
