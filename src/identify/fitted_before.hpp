// Was a run fitted by an earlier result? By its provenance: hashes of the logs, which folds contain as well, and
// the motions of simulated runs. A log that was converted or cut has another hash; a repetition of a recorded
// motion is not detected.
#pragma once

#include <optional>
#include <string>

#include "steelyard/result/result.hpp"
#include "steelyard/study/study.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct FittedBefore {
  std::string label;      // of the run that was fitted
  bool same_log = false;  // false: its motion with other noise
};

std::optional<FittedBefore> fitted_before(const Result& model, const StudyRun& run);

// Marks the runs of `result`, in the order of the study, that the model was fitted to, with findings.
void mark_fitted_runs(const Result& model, const Study& study, Result& result);

}  // namespace steelyard
