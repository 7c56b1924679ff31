#include "steelyard/identify/run.hpp"

#include "identify/bands.hpp"
#include "identify/elastic.hpp"
#include "identify/estimators.hpp"
#include "identify/examine.hpp"
#include "identify/exports.hpp"
#include "identify/extra_columns.hpp"
#include "identify/folded.hpp"
#include "identify/friction.hpp"
#include "identify/gains.hpp"
#include "identify/kept_rows.hpp"
#include "identify/prior.hpp"
#include "identify/repeats.hpp"
#include "identify/reverse.hpp"
#include "identify/self_check.hpp"
#include "identify/signs.hpp"
#include "identify/state.hpp"
#include "steelyard/core/processes.hpp"
#include "steelyard/fold/fold_file.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {
namespace {

std::vector<std::string> row_joint_names(const Robot& robot, const Plan& plan) {
  const std::vector<LogJoint> joints = log_joints(robot);
  std::vector<std::string> names;
  for (const Row& row : plan.rows) names.push_back(joints[static_cast<std::size_t>(row.i)].name);
  return names;
}

std::vector<std::string> row_units(const Robot& robot, const Plan& plan) {
  const std::vector<LogJoint> joints = log_joints(robot);
  std::vector<std::string> units;
  for (const Row& row : plan.rows)
    units.emplace_back(joints[static_cast<std::size_t>(row.i)].kind == JointKind::revolute ? "N·m" : "N");
  return units;
}

}  // namespace

void estimate_runs(StudyState& state) {
  state.folds = fit_folds(state.runs);
  state.priors = prior_folds(state.study, state.robot, state.base, state.folds);
  state.estimated =
      state.clock.time("estimate", [&] { return estimate(state.folds, state.study.estimate, state.priors); });
  refine_estimate(state);
}

void predict_runs(StudyState& state) {
  const VectorXd values = values_for(state.plan, state.estimated);
  const std::vector<std::string> joints = row_joint_names(state.robot, state.plan);
  const std::vector<std::string> units = row_units(state.robot, state.plan);
  // Bands are about errors with signs, at samples.
  std::optional<BandCounter> counter;
  if (!has_unsigned_runs(state.study) && !fits_folds(state))
    state.clock.time("refits for bands", [&] { counter.emplace(state); });
  for (std::size_t r = 0; r < state.runs.size(); ++r) {
    RunState& run = state.runs[r];
    if (!run.prepared) continue;
    ErrorWatch watch;
    if (counter) {
      counter->begin(r);
      watch = [&](const ErrorTile& tile) { counter->add(tile); };
    }
    run.prediction = state.clock.time("predicting " + run.label(), [&] {
      return predict(*run.prepared, state.plan, values, joints, units, watch,
                     extra_prediction(state, *run.run), run.run->unsigned_effort);
    });
  }
  if (!counter) return;
  state.result.bands = counter->bands(joints, state.study.intervals.level);
  for (std::size_t r = 0; r < state.runs.size(); ++r)
    state.runs[r].band_coverage = counter->coverage(r, state.result.bands);
}

namespace {

// What making the efforts of the runs has found (gains, friction, signs) goes with their folds, from the
// `first` finding on. Signs are those of the runs without.
void attach_findings(StudyState& state, std::size_t first, bool of_signs) {
  for (RunState& run : state.runs) {
    if (!run.prepared || (of_signs && !run.signs)) continue;
    for (std::size_t f = first; f < state.findings.size(); ++f) run.made.push_back(state.findings[f]);
  }
}

void keep_findings(StudyState& state) {
  for (RunState& run : state.runs) {
    if (run.made.empty()) continue;
    if (!run.findings)
      run.findings = {make_finding("not-examined", run.label(),
                                   "the log was folded without an examination: nothing is known of its "
                                   "signals and its set-up")};
    run.findings->insert(run.findings->end(), run.made.begin(), run.made.end());
  }
}

}  // namespace

std::vector<FoldedRun> fold_study(const Study& study, const StudyOptions& options) {
  StudyState state(study, options);
  open_robot(state);
  find_gains(state);
  choose_cutoff(state);
  // Forms of friction change the robot's drive terms; the doctor looks at it as the study gives it.
  const bool forms = has_friction_forms(study.drive_spec);
  state.watch_signals = options.examine && !forms;
  // Processes that share chunks would have to begin anew together.
  state.presume_uniform = !forms && !has_unsigned_runs(study) && processes().size() == 1;
  open_runs(state);
  attach_findings(state, 0, false);
  if (options.examine && forms) examine_for_folds(state);
  std::size_t first = state.findings.size();
  fit_friction_forms(state);
  attach_findings(state, first, false);
  first = state.findings.size();
  recover_run_signs(state);
  attach_findings(state, first, true);
  state.find_periods = true;
  fold_runs(state);
  if (options.examine && !forms) examine_for_folds(state);
  keep_findings(state);
  if (study.estimator.instruments) estimate_runs(state);
  return folded_runs(state);
}

SignsOutcome find_signs(const Study& study, const StudyOptions& options) {
  StudyState state(study, options);
  open_robot(state);
  open_runs(state);
  recover_run_signs(state);
  if (!state.result.signs)
    throw InputError({"no run of the study is without signs",
                      {study.path, 0, 0, ""},
                      "a run with `unsigned: true`",
                      "`steelyard run` fits logs with signs"});
  return {std::move(*state.result.signs), std::move(state.findings), std::move(state.warnings)};
}

StudyOutcome run_study(const Study& study, const StudyOptions& options) {
  if (study.reverse) return run_reverse(study, options);
  StudyState state(study, options);
  open_robot(state);
  find_gains(state);
  choose_cutoff(state);
  open_runs(state);
  examine_runs(state);
  fit_friction_forms(state);
  recover_run_signs(state);
  fold_runs(state);
  find_missing_rows(state);
  find_same_rows(state.runs, state.findings);
  estimate_runs(state);
  find_intervals(state);
  retrieve_feasible(state);
  predict_runs(state);
  cross_validate_runs(state);
  identify_elastic_joints(state);
  summarize(state);
  summarize_feasible(state);
  summarize_gains(state);
  check_itself(state);
  judge_runs(state);
  StudyOutcome outcome = take_outcome(state);
  export_files(state, outcome);
  return outcome;
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
