// Step 3 of a study: the rows of its runs as folds. What follows works on them, and reads the logs again for
// predictions and for estimators that weight single rows.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "steelyard/estimate/cross_validation.hpp"
#include "steelyard/fold/fold_file.hpp"
#include "steelyard/identify/runs.hpp"
#include "steelyard/identify/signed_run.hpp"
#include "steelyard/log/period.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct RunRows {
  const OpenRun* run = nullptr;
  FoldPass folds;
  std::optional<CoarsePositions> positions;  // of a log
  double folded_period = 0;                  // of a run of folds [samples], 0: none
  const SignedRun* signs = nullptr;          // of a run without them

  const std::string& label() const { return run->label(); }
  bool is_fit() const { return run->is_fit(); }
  PreparedRun& prepared() const { return *run->prepared; }
  bool has_samples() const { return run->prepared != nullptr; }
  // Of its motion [samples], 0: none.
  double period() const { return positions ? positions->period() : folded_period; }
};
struct Folded {
  std::vector<RunRows> runs;
  std::vector<std::string> same_rows;  // by run: another one with the same rows; empty: none
  std::vector<Finding> findings;       // joints without rows, runs with the same rows
};

// One SignedRun per run, where there are runs without signs (identify/signs.hpp). A log whose stamps turn out
// to differ from the presumed grid is opened again.
using SignedRuns = std::vector<std::optional<SignedRun>>;
std::vector<RunRows> fold_runs(const Setup& setup, Runs& runs, const SignedRuns& signs);

// One pass over a run with the study's columns; also at other preparations than the study's. `instruments`:
// folds their columns, too (instrument.hpp).
struct InstrumentMotion;
std::vector<Layout> study_layouts(const Setup& setup);  // of the plan's rows
FoldPass fold_prepared(const Setup& setup, const StudyRun& run, PreparedRun& prepared, PassOptions pass,
                       const std::shared_ptr<const InstrumentMotion>& instruments = nullptr);

// Folds of the fit runs, block by block, gaps included; blocks are numbered on from run to run.
std::vector<Fold> fit_folds(const std::vector<RunRows>& runs);
// The folds of a pass, block by block, numbered from `first` on; returns the next number.
Index append_blocks(const std::vector<FoldBlock>& blocks, Index first, std::vector<Fold>& folds);

// Blocks of the fit runs and the groups that are left out together, by phase where a motion is periodic.
struct HeldOut {
  std::vector<std::vector<FoldBlock>> blocks;
  BlockGroups groups;
  std::string by;  // "index" or "phase"
};
bool has_two_groups(const BlockGroups& groups);
HeldOut held_out_groups(const std::vector<RunRows>& runs, const CrossOptions& options);

}  // namespace steelyard
