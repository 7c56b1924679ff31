// Signs of a study's runs that log |effort| only: between opening and folding the runs.
#pragma once

#include "steelyard/fold/pass.hpp"
#include "steelyard/identify/folded.hpp"
#include "steelyard/result/result.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct Signs {
  SignedRuns runs;                      // one per run, where there are runs without signs
  std::optional<SignsSummary> summary;  // none without such runs
  VectorXd gains;                       // identified with the signs: the runs must be opened with them
  std::vector<Finding> findings;
};
// All unsigned runs are one problem. Throws InputError for studies that request more than such runs provide.
Signs recover_run_signs(const Setup& setup, const Runs& runs);

// The decided segments of a run as folds, efforts with their signs; or its completed efforts.
FoldPass fold_signed_run(const Setup& setup, const SignedRun& run, Index slot_samples);

}  // namespace steelyard
