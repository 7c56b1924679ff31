#include "steelyard/identify/run.hpp"

#include <algorithm>

#include "identify/elastic.hpp"
#include "identify/exports.hpp"
#include "identify/friction.hpp"
#include "identify/kept_rows.hpp"
#include "identify/repeats.hpp"
#include "identify/reverse.hpp"
#include "identify/summarize.hpp"
#include "identify/summary.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/feasible/joint_forces.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

Folded fold(const Setup& setup, Runs& runs, const Signs& signs) {
  Folded folded;
  folded.runs = fold_runs(setup, runs, signs.runs);
  folded.findings = keep_still_joints(setup, folded.runs);
  add_to(folded.findings, missing_rows(setup, folded.runs, signs.findings));
  SameRows same = same_rows(folded.runs);
  folded.same_rows = std::move(same.original);
  add_to(folded.findings, std::move(same.findings));
  return folded;
}

void require_fit_run(const Study& study) {
  if (!study.runs.empty() && std::none_of(study.runs.begin(), study.runs.end(), [](const StudyRun& run) {
        return run.file.label.role == RunRole::fit;
      }))
    throw InputError({"no run has the role 'fit'", {study.path, 0, 0, ""}, "at least one", ""});
}

std::shared_ptr<const MotionSamples> first_fitted_motion(const Setup& setup, const Runs& runs) {
  for (const OpenRun& run : runs)
    if (run.is_fit() && run.prepared)
      return std::make_shared<const MotionSamples>(motion_of(setup.robot, *run.prepared));
  return nullptr;
}

}  // namespace

StudyOutcome run_study(const Study& study, const StudyOptions& options) {
  if (study.reverse) return run_reverse(study, options);
  require_fit_run(study);
  StudyClock clock(options);
  Setup setup = open({&study, &options, &clock});  // robot, drive gains, cut-off
  Runs runs = open_runs(setup);
  const Examined examined = examine_runs(setup, runs);
  std::vector<Finding> friction;
  setup = with_fitted_friction(std::move(setup), runs, friction);
  runs = with_rows_of(setup, std::move(runs));
  const Signs signs = recover_run_signs(setup, runs);
  if (signs.gains.size() > 0) {
    setup.sign_gains = signs.gains;
    runs = open_runs(setup);
  }
  const Folded folded = fold(setup, runs, signs);
  Fit fit = fit_rows(setup, runs, folded.runs);
  const std::optional<ElasticJoints> elastic = identify_elastic_joints(setup);
  const Uncertainty spread =
      elastic ? with_springs(setup, *elastic, fit) : estimate_intervals(setup, runs, folded.runs, fit);
  const std::optional<FeasibleModel> feasible =
      retrieve_feasible(setup, runs, folded.runs, fit, spread.intervals.sigma);
  Checks checks = check_fit(setup, runs, folded, fit, spread, feasible);
  Result result =
      summarize({setup, runs, examined, friction, signs, folded, fit, spread, elastic, feasible, checks});
  StudyOutcome outcome = outcome_of(setup, std::move(result), std::move(checks.predicted));
  export_files(setup, outcome);
  if (options.keep_motion) outcome.motion = first_fitted_motion(setup, runs);
  return outcome;
}

SignsOutcome recover_study_signs(const Study& study, const StudyOptions& options) {
  StudyClock clock(options);
  const Setup setup = open_robot({&study, &options, &clock});
  const Runs runs = open_runs(setup);
  Examined examined = options.examine ? examine_runs(setup, runs) : Examined();
  Signs signs = recover_run_signs(setup, runs);
  if (!signs.summary)
    throw InputError({"no run of the study is without signs",
                      {study.path, 0, 0, ""},
                      "a run with `unsigned: true`",
                      "`steelyard run` fits logs with signs"});
  add_to(examined.findings, std::move(signs.findings));
  waive_findings(study, examined.findings);
  return {std::move(*signs.summary), std::move(examined.findings), std::move(examined.fixes), setup.warnings};
}

}  // namespace steelyard
