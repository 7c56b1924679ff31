// Rows of the regressor tile by tile, and what a model predicts for a whole run.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/log/run.hpp"
#include "steelyard/regressor/plan.hpp"
#include "steelyard/signs/rows.hpp"

namespace steelyard::inline STEELYARD_ABI {

// Values of a row's columns at samples begin … begin + count.
struct RowTile {
  std::size_t row = 0;  // of the plan
  Index joint = 0;
  std::vector<const double*> columns;
  Index begin = 0;
  Index count = 0;
};
void visit_rows(const RowColumns& of, const SampleBlock& samples,
                const std::function<void(const RowTile&)>& visit);

// The values in the order of each row's columns; those that `columns` lacks are zero.
using RowValues = std::vector<VectorXd>;
RowValues row_values(const RowColumns& of, const std::vector<std::string>& columns, const VectorXd& values);

// Y π, samples × joints.
MatrixXd model_efforts(const RowColumns& of, const SampleBlock& samples, const RowValues& values);

}  // namespace steelyard
