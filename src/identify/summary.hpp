// From estimates and predictions to the parts of a result.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "steelyard/core/error.hpp"
#include "steelyard/estimate/estimate.hpp"
#include "steelyard/regressor/base.hpp"
#include "steelyard/result/result.hpp"
#include "steelyard/study/study.hpp"
#include "steelyard/validate/predict.hpp"

namespace steelyard::inline STEELYARD_ABI {

std::optional<double> finite_or_none(double value);

// Appends findings.
void add_to(std::vector<Finding>& findings, std::vector<Finding> more);

// Residuals by row kind ("torque:elbow") as fractions; totals over the joints of the unit most joints have.
// Raw ones from the predictions of all runs together, when there are any.
ResidualSummary residual_summary(const std::vector<Residual>& per_row, const Plan& plan, const Robot& robot,
                                 std::span<const Prediction* const> predictions = {});

// The residual of a joint's row; null: it has none.
const Residual* find_row(const std::vector<Residual>& per_row, const std::string& joint);

// Sets what the summary is with rows at standstill: the same residuals, counted over all rows.
void put_standstill(const ResidualSummary& with_standstill, ResidualSummary& summary);

std::vector<BaseValue> base_values(const BaseParameters& base, const Estimate& estimate);
std::vector<DriveValues> drive_values(const Robot& robot, const Estimate& estimate);

// Findings of the fit itself; those of the logs are the doctor's.
std::vector<Finding> model_findings(const Robot& robot, const Estimate& estimate, const Result& result);

// Marks the findings that the study waives, and puts the most severe first.
void waive_findings(const Study& study, std::vector<Finding>& findings);

// Waives and sorts the findings, and gives the verdict.
void judge_result(const Study& study, Result& result);

}  // namespace steelyard
