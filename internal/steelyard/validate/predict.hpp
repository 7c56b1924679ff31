// Pass 2: predicted efforts of a run, sample by sample, against what was measured.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "steelyard/fold/layout.hpp"
#include "steelyard/log/prepare.hpp"
#include "steelyard/regressor/plan.hpp"
#include "steelyard/validate/residuals.hpp"

namespace steelyard::inline STEELYARD_ABI {

// Errors of the predicted efforts of one row at samples of a run, and the plan's columns there.
struct ErrorTile {
  Index row = 0;    // of the plan
  Index first = 0;  // sample of the run
  Index count = 0;
  const double* errors = nullptr;
  const double* columns = nullptr;  // evaluate()'s output
  Index stride = 0;
};
using ErrorWatch = std::function<void(const ErrorTile&)>;

struct Prediction {
  VectorXd residual_squared;  // per row of the plan: Σ (τ − τ̂)² over every sample of the grid, nothing
                              // filtered out
  VectorXd effort_squared;    // Σ τ², without known efforts
  std::vector<EffortCurve> curves;
  std::vector<JointWhiteness> whiteness;  // one per row
};

// Columns beside the plan's with their values, one after the other, and efforts that are known: these are
// part of the prediction, and not of the effort that a residual is compared with.
struct ExtraPrediction {
  std::vector<ExtraColumns> columns;
  std::vector<double> values;
  std::vector<ExtraColumns> known;
};

// `absolute`: |predicted| is compared, as the run has |effort| only, and its errors are not counted for
// bands. `values` belong to plan.columns. Names and units of the curves: one per row of the plan.
Prediction predict(PreparedRun& run, const Plan& plan, const VectorXd& values,
                   const std::vector<std::string>& joints, const std::vector<std::string>& units,
                   const ErrorWatch& watch = {}, const ExtraPrediction& extra = {}, bool absolute = false);

}  // namespace steelyard
