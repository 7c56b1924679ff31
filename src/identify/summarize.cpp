#include "identify/summarize.hpp"

#include <algorithm>
#include <numeric>

#include "identify/delays.hpp"
#include "identify/extra_columns.hpp"
#include "identify/fitted_before.hpp"
#include "identify/folded_runs.hpp"
#include "identify/friction.hpp"
#include "identify/gains.hpp"
#include "identify/offsets.hpp"
#include "identify/robot_probe.hpp"
#include "identify/summary.hpp"
#include "steelyard/study/provenance.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

void summarize_preparation(const Preparation& preparation, PreparationSummary& summary) {
  summary.rate = 1 / preparation.grid.step;
  summary.decimation = preparation.decimation.factor;
  if (preparation.column_filter)
    summary.cutoff = preparation.column_filter->cutoff;
  else if (preparation.filter)
    summary.cutoff = preparation.filter->cutoff;
}

void put_band(const BandScore& score, std::size_t r, RunValidation& run) {
  if (!score.runs.empty()) run.residual.band = score.runs[r];
  if (!score.links.empty() && run.feasible) run.feasible->band = score.links[r];
}

std::vector<RunValidation> summarize_runs(const Identified& all, Result& result) {
  std::vector<RunValidation> runs;
  for (std::size_t r = 0; r < all.folded.runs.size(); ++r) {
    RunValidation& run = runs.emplace_back(
        validation_of(all.setup, all.folded.runs[r], all.fit.estimated, all.checks.predicted.runs[r]));
    const std::string& same = all.folded.same_rows[r];
    run.repeats = same.empty() ? all.examined.runs[r].repeats : same;
    run.band_coverage = all.checks.predicted.band_coverage[r];
    if (all.checks.feasible && !all.checks.feasible->runs.empty())
      run.feasible = all.checks.feasible->runs[r];
    if (!all.checks.left_out.empty()) run.left_out = all.checks.left_out[r];
    put_band(all.checks.band, r, run);
    run.forecast = all.checks.forecasts.estimate[r];
    run.feasible_forecast = all.checks.forecasts.links[r];
    add_to(result.findings,
           refit_offsets(all.setup, all.folded.runs[r], all.fit.estimated, result.base, run));
  }
  return runs;
}

void count_rows(const Identified& all, Result& result) {
  double candidates = 0;
  for (const RunRows& run : all.folded.runs) {
    if (!run.is_fit()) continue;
    result.samples += run.folds.samples;
    const Index rows = std::accumulate(run.folds.kept.begin(), run.folds.kept.end(), Index{0});
    result.rows += rows;
    if (run.folds.kept_share > 0) candidates += static_cast<double>(rows) / run.folds.kept_share;
    summarize_preparation(run.run->preparation(), result.preparation);
  }
  result.preparation.kept_share = candidates > 0 ? static_cast<double>(result.rows) / candidates : 0;
  result.preparation.candidates = all.setup.cutoff.candidates;
  result.preparation.choice = all.setup.cutoff.choice;
  result.preparation.band = all.checks.band.band;
  result.preparation.effort_delays = delay_summaries(all.setup);
}

// Over the fit runs; passes of other preparations and sources are added.
int count_passes(const Identified& all) {
  int passes = all.checks.predicted.passes;
  if (passes > 0)
    passes += all.setup.cutoff.passes + (all.signs.gains.size() > 0 ? 1 : 0) + all.spread.passes +
              (all.elastic ? all.elastic->passes : 0) + all.checks.band.passes;
  if (all.checks.feasible && !fits_folds(all.runs)) passes = std::max(passes, all.checks.feasible->passes);
  return passes + all.checks.self.passes;
}

// A run with another set-up is predicted badly; reporting the cause is enough.
bool is_consequence(const Identified& all, const Finding& finding) {
  if (!is(finding, "validation-gap")) return false;
  for (std::size_t r = 0; r < all.runs.size(); ++r) {
    const std::optional<std::vector<Finding>>& own = all.examined.runs[r].findings;
    if (all.runs[r].label() == finding.joint && own &&
        std::any_of(own->begin(), own->end(),
                    [](const Finding& item) { return item.severity == Severity::error; }))
      return true;
  }
  return false;
}

// In the order of the steps.
std::vector<Finding> findings_of(const Identified& all) {
  std::vector<Finding> findings = all.setup.findings;
  add_to(findings, all.examined.findings);
  add_to(findings, all.friction);
  add_to(findings, all.signs.findings);
  add_to(findings, all.folded.findings);
  add_to(findings, all.fit.findings);
  add_to(findings, all.spread.findings);
  if (all.feasible) add_to(findings, all.feasible->findings);
  return findings;
}

void summarize_parameters(const Identified& all, Result& result) {
  const Setup& setup = all.setup;
  const Estimate& estimate = all.fit.estimated;
  result.estimator = all.fit.estimator;
  result.condition = finite_or_none(estimate.condition);
  result.condition_scaled = finite_or_none(estimate.condition_scaled);
  result.base = base_values(setup.base, estimate);
  for (BaseValue& value : extra_values(setup, estimate)) result.base.push_back(std::move(value));
  result.intervals = put_intervals(all.fit, all.spread, result.base);
  result.drives = drive_values(setup.robot, estimate);
  add_friction_values(setup, estimate, result.drives);
  add_rest(setup.robot, result.drives);
}

void summarize_checks(const Identified& all, Result& result) {
  const Checks& checks = all.checks;
  result.validation = summarize_runs(all, result);
  result.residual = residual_summary(all.fit.estimated.per_row, all.setup.plan, all.setup.robot,
                                     fitted_predictions(all.folded, checks.predicted.runs));
  add_standstill(all.setup, fitted_runs(all.folded), all.fit.estimated, result.residual);
  result.residual.prepared_weighted = finite_or_none(all.fit.estimated.residual_weighted);
  result.residual.band = checks.band.fitted;
  result.bands = checks.predicted.bands;
  result.cross_validation = checks.held_out.summary;
  result.forecast = checks.forecasts.summary;
  if (all.elastic) result.elastic = all.elastic->summary;
  if (checks.feasible) {
    result.feasible = checks.feasible->summary;
    if (result.feasible->residual) result.feasible->residual->band = checks.band.fitted_links;
    result.links = checks.feasible->links;
    if (!result.links.empty()) put_feasible(checks.feasible->values, result.base, *result.feasible);
  }
  result.self_checks = checks.self.checks;
}

}  // namespace

RunValidation validation_of(const Setup& setup, const RunRows& run, const Estimate& estimate,
                            const Prediction& prediction) {
  RunValidation validation;
  validation.run = run.label();
  validation.fresh = !run.is_fit();
  validation.residual = run_residual(setup, run, estimate, prediction);
  validation.whiteness = prediction.whiteness;
  return validation;
}

StudyOutcome outcome_of(const Setup& setup, Result result, Predicted predicted) {
  StudyOutcome outcome;
  outcome.result = std::move(result);
  outcome.warnings = setup.warnings;
  outcome.times = setup.clock().times();
  for (Prediction& run : predicted.runs)
    for (EffortCurve& curve : run.curves) outcome.curves.push_back(std::move(curve));
  return outcome;
}

Result summarize(const Identified& all) {
  const Setup& setup = all.setup;
  Result result;
  put_robot(setup, result);
  summarize_parameters(all, result);
  count_rows(all, result);
  result.passes = count_passes(all);
  result.findings = findings_of(all);
  result.fixes = all.examined.fixes;
  summarize_checks(all, result);
  for (Finding& finding : model_findings(setup.robot, all.fit.estimated, result))
    if (!is_consequence(all, finding)) result.findings.push_back(std::move(finding));
  if (all.checks.feasible) add_to(result.findings, all.checks.feasible->findings);
  add_to(result.findings, all.checks.self.findings);
  result.signs = all.signs.summary;
  if (setup.gains) {
    result.gains = setup.gains->summary;
    result.payloads = setup.gains->payloads;
  }
  add_gains(setup, all.signs.summary, result.drives);
  if (!all.checks.held_out.unavailable.empty()) result.unavailable.push_back(all.checks.held_out.unavailable);
  for (std::string& text : unavailable_from_folds(setup, all.runs))
    result.unavailable.push_back(std::move(text));
  result.provenance = provenance(setup.study(), setup.robot_hash);
  judge_result(setup.study(), result);
  return result;
}

Result summarize_validation(const Result& model, const Study& study, const Estimate& estimate,
                            const Validated& all) {
  Result result = model;
  result.comparison.clear();
  result.exports.clear();
  result.validation.clear();
  std::vector<Finding> offsets;
  for (std::size_t r = 0; r < all.folded.runs.size(); ++r) {
    result.validation.push_back(
        validation_of(all.setup, all.folded.runs[r], estimate, all.predicted.runs[r]));
    result.validation.back().repeats = all.examined.runs[r].repeats;
    if (!all.feasible.empty()) result.validation.back().feasible = all.feasible[r];
    put_band(all.band, r, result.validation.back());
    add_to(offsets,
           refit_offsets(all.setup, all.folded.runs[r], estimate, model.base, result.validation.back()));
    if (all.forecasts.empty()) continue;
    result.validation.back().forecast = all.forecasts[r].estimate;
    result.validation.back().feasible_forecast = all.forecasts[r].links;
  }
  result.unavailable = unavailable_from_folds(all.setup, all.runs);
  result.unavailable.insert(result.unavailable.end(), all.engines.unavailable.begin(),
                            all.engines.unavailable.end());
  result.engines = all.engines.checks;
  result.findings = all.setup.findings;
  add_to(result.findings, all.examined.findings);
  result.fixes = all.examined.fixes;
  add_to(result.findings, all.folded.findings);
  add_to(result.findings, std::move(offsets));
  mark_fitted_runs(model, study, result);
  judge_result(study, result);
  result.provenance = provenance(all.setup.study(), all.setup.robot_hash);
  return result;
}

}  // namespace steelyard
