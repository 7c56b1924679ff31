#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "steelyard/core/error.hpp"
#include "study/examine.hpp"
#include "study/extra_columns.hpp"
#include "study/friction.hpp"
#include "study/options_json.hpp"
#include "study/state.hpp"
#include "study/summary.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {
namespace {

// Coefficients agree to what a robot file's digits allow.
bool same_terms(const BaseParameter& own, const BaseValue& value) {
  return own.terms.size() == value.terms.size() &&
         std::all_of(own.terms.begin(), own.terms.end(), [&](const BaseTerm& term) {
           const auto found = value.terms.find(term.parameter);
           return found != value.terms.end() &&
                  std::abs(found->second - term.coefficient) <= 1e-6 * (1 + std::abs(term.coefficient));
         });
}

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
    if (missing || !same_terms(own, *found))
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
  Study fresh = study;
  for (StudyRun& run : fresh.runs) run.file.label.role = RunRole::validate;
  StudyState state(fresh, options);
  open_robot(state);
  restore_friction(model, state);
  take_values(model, state);
  open_runs(state);
  examine_runs(state);
  take_extra_values(model, state);
  fold_runs(state);
  predict_runs(state);

  Result& result = state.result = model;
  result.validation.clear();
  for (const RunState& run : state.runs) result.validation.push_back(validation_of(state, run));
  result.findings = state.findings;
  judge_result(study, result);
  result.provenance = provenance(study, state.robot_hash);
  return take_outcome(state);
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
