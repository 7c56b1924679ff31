#include <fmt/format.h>

#include <algorithm>

#include "steelyard/core/error.hpp"
#include "study/extra_columns.hpp"
#include "study/friction.hpp"
#include "study/options_json.hpp"
#include "study/state.hpp"
#include "study/summary.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {
namespace {

// The model's base values as if they had just been estimated. Base parameters of another robot would be read
// as something else, so that every one must be there with the same terms.
void take_values(const Result& model, StudyState& state) {
  const auto count = static_cast<Index>(state.base.base.size());
  state.estimated.values.resize(count);
  for (Index k = 0; k < count; ++k) {
    const BaseParameter& own = state.base.base[static_cast<std::size_t>(k)];
    const auto same = [&](const BaseValue& value) { return value.name == own.lead; };
    const auto found = std::find_if(model.base.begin(), model.base.end(), same);
    const bool missing = found == model.base.end();
    if (missing || found->terms.size() != own.terms.size())
      throw InputError({fmt::format("the model is not one of this robot: base parameter '{}' {}", own.lead,
                                    missing ? "is missing" : "has other terms"),
                        {state.study.path, 0, 0, ""},
                        fmt::format("the {} base parameters of {}", count, state.robot.name),
                        "use the robot file and drive terms of the study that made the model"});
    state.estimated.columns.push_back(own.lead);
    state.estimated.values[k] = found->value;
  }
}

}  // namespace

StudyOutcome validate_study(const Study& study, const Result& model, const StudyOptions& options) {
  StudyState state(study, options);
  open_robot(state);
  restore_friction(model, state);
  take_values(model, state);
  open_runs(state);
  take_extra_values(model, state);
  fold_runs(state);
  predict_runs(state);

  Result& result = state.result = model;
  result.validation.clear();
  result.findings = state.findings;
  for (const RunState& run : state.runs) {
    const std::vector<Residual> per_row =
        residuals(run.folds->folds.total(), state.estimated.columns, state.estimated.values).per_row;
    const Prediction* one[] = {&run.prediction};
    RunValidation& validation = result.validation.emplace_back();
    validation.run = run.label();
    validation.fresh = true;
    validation.residual = residual_summary(per_row, state.plan, state.robot, one);
    validation.whiteness = run.prediction.whiteness;
  }
  judge_result(study, result);
  result.provenance = provenance(study, state.robot_hash);

  StudyOutcome outcome;
  outcome.result = std::move(result);
  outcome.warnings = std::move(state.warnings);
  outcome.times = state.clock.times();
  for (RunState& run : state.runs)
    for (EffortCurve& curve : run.prediction.curves) outcome.curves.push_back(std::move(curve));
  return outcome;
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
