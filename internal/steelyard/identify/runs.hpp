// Step 2 of a study: its runs, opened and prepared; and the doctor's findings about them.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "steelyard/doctor/signals.hpp"
#include "steelyard/fold/pass.hpp"
#include "steelyard/identify/setup.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct OpenRun {
  const StudyRun* run = nullptr;
  std::unique_ptr<PreparedRun> prepared;  // null: the run consists of folds, without samples
  std::optional<FoldPass> folds;          // of a run of folds
  Preparation folded_preparation;         // the same: as far as they contain it
  std::function<SignalScan()> signals;    // of the last pass; empty: not watched

  const std::string& label() const { return run->file.label.label; }
  bool is_fit() const { return run->file.label.role == RunRole::fit; }
  const Preparation& preparation() const { return prepared ? prepared->preparation() : folded_preparation; }
};
using Runs = std::vector<OpenRun>;

struct OpenOptions {
  bool watch_signals = false;    // while folding, for the doctor
  bool presume_uniform = false;  // of runs that are read once (PrepareOptions)
};
// Runs whose joints stand still by other shares than the set-up's, which may follow the friction that was found, opened anew.
Runs with_rows_of(const Setup& setup, Runs runs);
OpenRun prepare_run(const Setup& setup, const StudyRun& run, const OpenOptions& options = {});
Runs open_runs(const Setup& setup, const OpenOptions& options = {});

// Some run that is fitted has no samples, or has.
bool fits_folds(const Runs& runs);
bool fits_logs(const Runs& runs);

// The samples of a run, with torques where the study has currents.
std::unique_ptr<SampleSource> open_source(const Setup& setup, const StudyRun& run);

// The doctor's findings about every run.
struct RunExamination {
  std::optional<std::vector<Finding>> findings;  // absent: not examined
  std::string repeats;                           // run with the same motion; empty: none
};
struct Examined {
  std::vector<RunExamination> runs;
  std::vector<Finding> findings;  // with the names of the runs they are about
  std::vector<StudyFix> fixes;
};
// Runs of folds have the findings of their files. `head`: samples of a long log for the set-up, 0: all.
Examined examine_runs(const Setup& setup, const Runs& runs, Index head = 0);

}  // namespace steelyard
