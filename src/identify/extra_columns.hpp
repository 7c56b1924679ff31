// The columns of a run beside the plan's, and its known efforts: expressions, offsets of single runs,
// friction.
#pragma once

#include <vector>

#include "identify/state.hpp"
#include "steelyard/fold/extra.hpp"
#include "steelyard/validate/predict.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

// The row of the plan for a joint of the log. Throws InputError with the nearest name.
Index row_of_joint(const StudyState& state, const std::string& joint, const Place& place);

// The study's expressions and offsets. A run that is fitted, or in `validate` has the label of one that was,
// has an offset of its own, "fo3@label"; others take the mean of these.
std::vector<ExtraColumns> run_columns(const StudyState& state, const StudyRun& run);

// The expressions alone.
std::vector<ExtraColumns> expression_columns(const StudyState& state);

// The channel with efforts that are known, if a run has it.
inline constexpr const char* kKnownChannel = "known";

// The same as run_columns, and the friction that was fitted.
std::vector<ExtraColumns> all_columns(const StudyState& state, const StudyRun& run);

// Expressions, and the run's channel "known" if it has one.
std::vector<ExtraColumns> known_efforts(const StudyState& state, const StudyRun& run);

// What a prediction needs of them.
ExtraPrediction extra_prediction(const StudyState& state, const StudyRun& run);

// The model's offsets of single runs, where the study has such. Throws InputError when the model has none.
void take_offsets(const Result& model, StudyState& state);

// The model's values of the columns that the study's runs have beside the plan's, behind those of the plan.
// Throws InputError when the model lacks one.
void take_extra_values(const Result& model, StudyState& state);

// Columns of the estimate that are neither the plan's nor tangents of friction, as entries of base[].
std::vector<BaseValue> extra_values(const StudyState& state);

}  // namespace STEELYARD_ABI
}  // namespace steelyard
