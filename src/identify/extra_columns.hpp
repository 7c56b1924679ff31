// The columns of a run beside the plan's, and its known efforts: expressions, offsets of single runs,
// friction.
#pragma once

#include <vector>

#include "steelyard/fold/layout.hpp"
#include "steelyard/identify/setup.hpp"
#include "steelyard/validate/predict.hpp"

namespace steelyard::inline STEELYARD_ABI {

// The row of the plan for a joint of the log. Throws InputError with the nearest name.
Index row_of_joint(const Setup& setup, const std::string& joint, const Place& place);

// The study's expressions and offsets. A run that is fitted, or in `validate` has the label of one that was,
// has an offset of its own, "fo3@label"; others take the mean of these.
std::vector<ExtraColumns> run_columns(const Setup& setup, const StudyRun& run);

// The expressions alone.
std::vector<ExtraColumns> expression_columns(const Setup& setup);

// Columns of the plan's rows as columns of joints, as the doctor has them.
std::vector<ExtraColumns> by_joint(const Plan& plan, std::vector<ExtraColumns> list);

// The channel with efforts that are known, if a run has it.
inline constexpr const char* kKnownChannel = "known";
// That of the drives' temperatures [°C].
inline constexpr const char* kTemperatureChannel = "temperature";

// The same as run_columns, and the friction that was fitted.
std::vector<ExtraColumns> all_columns(const Setup& setup, const StudyRun& run);

// Expressions, the payload behind the gears of the plan (the run's own, plan_of_run), and the run's channel
// "known" if it has one.
std::vector<ExtraColumns> known_efforts(const Setup& setup, const StudyRun& run);
std::vector<ExtraColumns> known_efforts(const Setup& setup, const StudyRun& run, const Plan& plan);
// The same without the payload.
std::vector<ExtraColumns> given_efforts(const Setup& setup, const StudyRun& run);

// What a prediction needs of them.
ExtraPrediction extra_prediction(const Setup& setup, const StudyRun& run, const Estimate& estimate);

// Columns of the estimate that are neither the plan's nor tangents of friction, as entries of base[].
std::vector<BaseValue> extra_values(const Setup& setup, const Estimate& estimate);

// "fo3@" of the offsets of joint 3, by the row of the plan.
std::string offset_stem(const Setup& setup, std::size_t row);
// The offset itself, or that of a single run.
bool is_offset(const std::string& column, const std::string& stem);

}  // namespace steelyard
