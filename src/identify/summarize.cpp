#include <algorithm>
#include <numeric>

#include "identify/extra_columns.hpp"
#include "identify/folded.hpp"
#include "identify/friction.hpp"
#include "identify/intervals.hpp"
#include "identify/state.hpp"
#include "identify/summary.hpp"
#include "steelyard/study/provenance.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {
namespace {

void summarize_preparation(const Preparation& preparation, PreparationSummary& summary) {
  summary.rate = 1 / preparation.grid.step;
  summary.decimation = preparation.decimation.factor;
  if (preparation.column_filter)
    summary.cutoff = preparation.column_filter->cutoff;
  else if (preparation.filter)
    summary.cutoff = preparation.filter->cutoff;
}

void summarize_runs(StudyState& state) {
  Result& result = state.result;
  double candidates = 0;
  for (const RunState& run : state.runs) {
    result.validation.push_back(validation_of(state, run));
    if (!run.is_fit()) continue;
    result.samples += run.folds->samples;
    const Index rows = std::accumulate(run.folds->kept.begin(), run.folds->kept.end(), Index{0});
    result.rows += rows;
    if (run.folds->kept_share > 0) candidates += static_cast<double>(rows) / run.folds->kept_share;
    if (run.prepared) result.passes = std::max(result.passes, run.prepared->passes() + state.extra_passes);
    summarize_preparation(run.preparation(), result.preparation);
  }
  result.preparation.kept_share = candidates > 0 ? static_cast<double>(result.rows) / candidates : 0;
}

// A run with another set-up is predicted badly; the cause is enough.
bool is_consequence(const StudyState& state, const Finding& finding) {
  if (!is(finding, "validation-gap")) return false;
  return std::any_of(state.runs.begin(), state.runs.end(), [&](const RunState& run) {
    return run.label() == finding.joint && run.findings &&
           std::any_of(run.findings->begin(), run.findings->end(),
                       [](const Finding& own) { return own.severity == Severity::error; });
  });
}

}  // namespace

RunValidation validation_of(const StudyState& state, const RunState& run) {
  const std::vector<Residual> per_row =
      residuals(run.folds->folds.total(), state.estimated.columns, state.estimated.values).per_row;
  std::vector<const Prediction*> one;
  if (run.prepared) one.push_back(&run.prediction);
  RunValidation validation;
  validation.run = run.label();
  validation.fresh = !run.is_fit();
  validation.residual = residual_summary(per_row, state.plan, state.robot, one);
  validation.repeats = run.repeats;
  validation.whiteness = run.prediction.whiteness;
  validation.band_coverage = run.band_coverage;
  return validation;
}

StudyOutcome take_outcome(StudyState& state) {
  StudyOutcome outcome;
  outcome.result = std::move(state.result);
  outcome.warnings = std::move(state.warnings);
  outcome.times = state.clock.times();
  for (RunState& run : state.runs)
    for (EffortCurve& curve : run.prediction.curves) outcome.curves.push_back(std::move(curve));
  return outcome;
}

void summarize(StudyState& state) {
  Result& result = state.result;
  result.robot_name = state.robot.name;
  result.robot_hash = state.robot_hash;
  result.dof = state.robot.dof();
  result.condition = finite_or_none(state.estimated.condition);
  result.condition_scaled = finite_or_none(state.estimated.condition_scaled);
  result.base = base_values(state.base, state.estimated);
  for (BaseValue& value : extra_values(state)) result.base.push_back(std::move(value));
  put_intervals(state, result);
  result.drives = drive_values(state.robot, state.estimated);
  add_friction_values(state, result.drives);
  summarize_runs(state);
  std::vector<const Prediction*> predictions;
  for (const RunState& run : state.runs)
    if (run.is_fit() && !fits_folds(state)) predictions.push_back(&run.prediction);
  result.residual = residual_summary(state.estimated.per_row, state.plan, state.robot, predictions);
  result.residual.prepared_weighted = finite_or_none(state.estimated.residual_weighted);
  result.findings = state.findings;
  for (Finding& finding : find_all(state.robot, state.estimated, result))
    if (!is_consequence(state, finding)) result.findings.push_back(std::move(finding));
  list_unavailable(state);
  result.provenance = provenance(state.study, state.robot_hash);
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
