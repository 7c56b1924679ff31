// One pass over a prepared run: chunks → regressor → (filter, decimate) → folds.
//
//   without column filter   the kept samples of each chunk's core go to fold_samples
//   with column filter      Y and the efforts are computed on the core and its halo, every column is filtered
//                           by the same zero-phase filter (near the ends of the run as a whole, elsewhere at
//                           the kept samples only: decimating_filter.hpp), and the kept samples of the core
//                           are folded; rows are rejected by the velocity filtered in the same way, or
//                           where less than nine tenths of what a row averages over is motion
//
// Extra columns stand behind the plan's and are treated like them; known efforts are subtracted first
// (layout.hpp).
//
// A run's slots have a fixed number of samples, several to a chunk, so that runs of one chunk still give
// blocks to cross-validate on. The last `gap` samples of a slot are its gap. Which samples go where depends
// on their index alone: the bytes do not depend on the number of threads, and chunks of another size give the
// same factors to 1e-12. Memory, whatever the run: per thread the samples of one chunk and its halo, and for
// every column a few sums per kept sample; without decimation all columns of the chunk.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/fold/fold_file.hpp"
#include "steelyard/fold/fold_set.hpp"
#include "steelyard/fold/layout.hpp"
#include "steelyard/fold/samples.hpp"
#include "steelyard/log/prepare.hpp"
#include "steelyard/regressor/plan.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct PassOptions {
  std::vector<std::string> effort_channels = {"torque"};  // one per effort column of the layouts
  std::vector<ExtraColumns> extra;                        // the layouts are those of with_extra_columns
  std::vector<ExtraColumns> known;  // subtracted from the effort of their row; for one effort channel only
  WeighRows weigh;                  // weights of single rows; may be empty
  bool rest = false;  // folds rows at standstill, too, apart from the others (log/standstill.hpp)
  int threads = 1;
  Index slot_samples = kAutomatic;  // divides the chunk size; automatic: at least 1024 and 5 filter memories
  Index gap = kAutomatic;           // samples; automatic: the memory of all filters
  std::function<void(const PreparedChunk&)> watch;         // may be empty; sees every chunk, from any thread
  std::function<void(Index done, Index chunks)> progress;  // may be empty; called by the calling thread

  void validate() const;  // throws InputError
};

struct FoldPass {
  FoldSet folds;
  Index slot_samples = 0;
  Index gap = 0;
  Index samples = 0;                 // of the run
  std::vector<Index> kept;           // samples that became rows, one per row of the plan
  double kept_share = 0;             // of decimated samples, over all rows
  std::optional<FoldSet> rest = {};  // of rows at standstill, which `folds` does not have, block by block
};

// Slot length that the options give for a run.
Index slot_samples(const PreparedRun& run, const PassOptions& options);

// Rewinds the run and reads it once. Layouts are those of the plan's rows (row_layouts) and of the extra
// columns. Throws InputError for effort channels that the run does not have, other row kinds than torque and
// gravity, and values that are not finite.
FoldPass fold_run(PreparedRun& run, const Plan& plan, const std::vector<Layout>& layouts,
                  const PassOptions& options = {});

// What a fold file keeps of a pass, and the pass that made its folds.
FoldedRun to_folded_run(const FoldPass& pass, const std::string& label, const Preparation& preparation);
FoldPass to_fold_pass(const FoldedRun& run);

}  // namespace steelyard
