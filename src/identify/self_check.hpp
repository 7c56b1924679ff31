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
  long double terms = 0;  // squares of value times column
};
double rows_difference(const std::vector<Residual>& folded, const std::vector<RowSums>& rows);

// `values` in the order of the plan's columns.
double model_difference(const Robot& robot, const Plan& plan, const VectorXd& values);

double gradient_difference(const Estimate& estimate);

// By how much bodies are not those claimed, in margins. `lengths`: one per link.
double bodies_difference(const std::vector<LinkValues>& links, const VectorXd& lengths);

// By how much feasible drives are negative, over the largest value of their kind, estimated or feasible.
double drives_difference(const std::vector<DriveValues>& drives, const std::vector<DriveValues>& estimated);

}  // namespace steelyard
