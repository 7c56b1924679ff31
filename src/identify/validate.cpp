#include "identify/engines.hpp"
#include "identify/examine.hpp"
#include "identify/extra_columns.hpp"
#include "identify/fitted_before.hpp"
#include "identify/folded.hpp"
#include "identify/friction.hpp"
#include "identify/gains.hpp"
#include "identify/given_base.hpp"
#include "identify/kept_rows.hpp"
#include "identify/state.hpp"
#include "identify/summary.hpp"
#include "steelyard/study/provenance.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {
StudyOutcome validate_study(const Study& study, const Result& model, const StudyOptions& options) {
  Study fresh = study;
  for (StudyRun& run : fresh.runs) run.file.label.role = RunRole::validate;
  StudyState state(fresh, options);
  open_robot(state);
  require_engines(state, model);
  restore_friction(model, state);
  take_base_values(model, state);
  take_offsets(model, state);
  restore_gains(model, state);
  take_cutoff(model.preparation.cutoff.value_or(0), state);
  open_runs(state);
  examine_runs(state);
  take_extra_values(model, state);
  take_links(model, state);
  fold_runs(state);
  find_missing_rows(state);
  predict_runs(state);

  Result& result = state.result = model;
  result.validation.clear();
  result.comparison.clear();
  for (const RunState& run : state.runs) {
    result.validation.push_back(validation_of(state, run));
    if (state.feasible) result.validation.back().feasible = feasible_residual(state, *state.feasible, run);
  }
  result.unavailable.clear();
  list_unavailable(state);
  result.exports.clear();
  result.engines.clear();
  check_engines(state, model);
  result.findings = state.findings;
  mark_fitted_runs(model, study, result);
  judge_result(study, result);
  result.provenance = provenance(fresh, state.robot_hash);
  return take_outcome(state);
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
