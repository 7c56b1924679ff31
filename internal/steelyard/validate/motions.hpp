// Leave one motion out: every run is predicted by a model fitted on all the others.
//
// Detects what cross-validation within a run cannot: a model that follows its training motion and no other.
// Works on folds, so that a refit costs no pass over a log. No additional evidence when two of the runs are
// the same motion.
#pragma once

#include <span>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/estimate/estimate.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct LeftOutMotion {
  EstimateStatus status = EstimateStatus::solved;  // of the fit on the other runs
  Residuals residuals;                             // of the run that was left out
};

// One entry per run. Empty with fewer than two runs.
std::vector<LeftOutMotion> leave_one_motion_out(const std::vector<std::vector<Fold>>& runs,
                                                const EstimateOptions& options = {},
                                                std::span<const Fold> priors = {});

}  // namespace steelyard
