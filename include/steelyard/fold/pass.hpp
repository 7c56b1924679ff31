// Pass 1 over a prepared run: chunk by chunk into the folds of all rows.
//
// Without a filter on columns the samples of a chunk's core go straight into the folds. With one, the
// regressor is made on the core and its halo, every column and the effort are filtered alike, and the kept
// samples of the core become rows: decimation and trimming by the sample's index in the run, then rejection
// of slow joints.
//
// Slots are stretches of samples fixed by index: the largest power-of-two part of a chunk that is at least
// five times as long as the filter's memory. The rows of a slot's last `memory` samples are its gap
// (fold_set.hpp). Slots do not depend on threads, and neither do the folds' bytes.
#pragma once

#include <functional>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/fold/fold_set.hpp"
#include "steelyard/log/prepare.hpp"
#include "steelyard/regressor/plan.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

struct PassOptions {
  int threads = 1;
  std::string effort = "torque";               // channel of the prepared run
  std::function<void(double share)> progress;  // may be empty
};

struct RunFolds {
  FoldSet folds;
  Index slot_samples = 0;  // grid samples of a slot; a block has folds.slots_per_block() of them
  Index samples = 0;       // of the run's grid
  Index rows = 0;          // folded
  Index candidates = 0;    // rows there would be without trimming and rejection
};

// `layouts` are those of the plan's rows with one effort (row_layouts). Torque rows only: row i takes the
// effort of joint i. Throws InputError when the run has not the effort channel or as many joints as the plan.
RunFolds fold_run(PreparedRun& run, const Plan& plan, const std::vector<Layout>& layouts,
                  const PassOptions& options = {});

}  // namespace STEELYARD_ABI
}  // namespace steelyard
