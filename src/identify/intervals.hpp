// Step 4 of a study, second part: intervals of the estimate, and whether differentiation has biased it.
#pragma once

#include <optional>
#include <vector>

#include "identify/estimators.hpp"
#include "steelyard/estimate/bias.hpp"
#include "steelyard/estimate/intervals.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct Uncertainty {
  Intervals intervals;  // in the order of the estimate's columns
  std::optional<DifferentiationBias> bias;
  int passes = 0;  // over every fit run, for cut-offs that were tested
  std::vector<Finding> findings;
};
Uncertainty estimate_intervals(const Setup& setup, const Runs& runs, const std::vector<RunRows>& rows,
                               const Fit& fit);

// Standard deviations, intervals, method and status of base parameters.
IntervalSummary put_intervals(const Fit& fit, const Uncertainty& spread, std::vector<BaseValue>& base);

}  // namespace steelyard
