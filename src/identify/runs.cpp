#include "steelyard/identify/runs.hpp"

#include <algorithm>

#include "identify/folded_runs.hpp"
#include "steelyard/core/error.hpp"

namespace steelyard::inline STEELYARD_ABI {

OpenRun prepare_run(const Setup& setup, const StudyRun& run, const OpenOptions& options) {
  if (run.folded) return open_folded_run(setup, run);
  OpenRun opened;
  opened.run = &run;
  std::unique_ptr<SampleSource> source = open_source(setup, run);
  if (options.watch_signals) {
    SignalWatch watch = watch_signals(std::move(source), log_joints(setup.robot));
    source = std::move(watch.source);
    opened.signals = std::move(watch.scan);
  }
  PrepareOptions prepare = of_run(setup, run, setup.prepare);
  prepare.presume_uniform = options.presume_uniform;
  try {
    opened.prepared = std::make_unique<PreparedRun>(std::move(source), run.file.label, prepare);
  } catch (const StampsDiffer&) {  // at the beginning already
    return prepare_run(setup, run, {options.watch_signals, false});
  }
  return opened;
}

Runs open_runs(const Setup& setup, const OpenOptions& options) {
  const Study& study = setup.study();
  if (study.runs.empty())
    throw InputError({"the study has no runs",
                      {study.path, 0, 0, ""},
                      "at least one with the role 'fit'",
                      "add `runs:`; `steelyard excite` designs a motion for them"});
  Runs runs;
  for (const StudyRun& run : study.runs) runs.push_back(prepare_run(setup, run, options));
  return runs;
}

Runs with_rows_of(const Setup& setup, Runs runs) {
  for (OpenRun& run : runs)
    if (run.prepared && run.prepared->preparation().standstill.share != setup.prepare.standstill)
      run = prepare_run(setup, *run.run);
  return runs;
}

bool fits_folds(const Runs& runs) {
  return std::any_of(runs.begin(), runs.end(),
                     [](const OpenRun& run) { return run.is_fit() && !run.prepared; });
}

bool fits_logs(const Runs& runs) {
  return std::any_of(runs.begin(), runs.end(),
                     [](const OpenRun& run) { return run.is_fit() && run.prepared; });
}

}  // namespace steelyard
