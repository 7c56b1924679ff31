// Step of a study: the result computed a second way (result/summaries.hpp).
#pragma once

#include <vector>

#include "steelyard/estimate/estimate.hpp"
#include "steelyard/regressor/plan.hpp"
#include "steelyard/result/result.hpp"

namespace steelyard::inline STEELYARD_ABI {

// Residual squares of rows one by one, by row kind, against those of folds.
struct RowSums {
  long double residual = 0;
  long double effort = 0;
  Index rows = 0;
};
double rows_difference(const std::vector<Residual>& folded, const std::vector<RowSums>& rows);

// `values` in the order of the plan's columns.
double model_difference(const Robot& robot, const Plan& plan, const VectorXd& values);

double gradient_difference(const Estimate& estimate);

// `lengths`: one per link; drives: those of the feasible parameters.
double bodies_difference(const std::vector<LinkValues>& links, const VectorXd& lengths,
                         const std::vector<DriveValues>& drives);

}  // namespace steelyard
