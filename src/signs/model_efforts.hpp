// Rows of the regressor tile by tile, and what a model predicts for a whole run.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/log/run.hpp"
#include "steelyard/regressor/plan.hpp"

namespace steelyard::inline STEELYARD_ABI {

// Values of a row's columns at samples begin … begin + count: column c at first + c · stride.
struct RowTile {
  const Row* row = nullptr;
  const double* first = nullptr;
  Index stride = 0;
  Index begin = 0;
  Index count = 0;
};
void visit_rows(const Plan& plan, const SampleBlock& samples,
                const std::function<void(const RowTile&)>& visit);

// The values in the order of the plan's columns; those that `columns` lacks are zero.
VectorXd values_of_plan(const Plan& plan, const std::vector<std::string>& columns, const VectorXd& values);

// Y π, samples × joints.
MatrixXd model_efforts(const Plan& plan, const SampleBlock& samples, const VectorXd& values);

}  // namespace steelyard
