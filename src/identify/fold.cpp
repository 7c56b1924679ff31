// Pass 1 of a study alone: folds of its runs for fold files, with what the doctor finds in their logs.
#include "identify/estimators.hpp"
#include "identify/friction.hpp"
#include "identify/kept_rows.hpp"
#include "identify/signs.hpp"
#include "identify/summary.hpp"
#include "steelyard/core/processes.hpp"
#include "steelyard/study/provenance.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr Index kHead = 100000;  // samples of a long log for the set-up

// What goes into the fold file of a run: the doctor's findings, then those of computing its efforts (gains,
// friction forms, signs).
std::optional<std::vector<Finding>> findings_of_run(const OpenRun& run, const Examined& examined,
                                                    std::size_t r, const std::vector<Finding>& made) {
  std::optional<std::vector<Finding>> findings;
  if (r < examined.runs.size()) findings = examined.runs[r].findings;
  if (made.empty() || !run.prepared) return findings;
  if (!findings)
    findings = {make_finding(
        "not-examined", run.label(),
        "the log was folded without an examination: nothing is known about its signals and set-up")};
  add_to(*findings, made);
  return findings;
}

FoldedRun to_file(const Setup& setup, const RunRows& run) {
  if (!run.has_samples()) return *run.run->run->folded;
  const Preparation& preparation = run.run->preparation();
  FoldedRun folded = to_folded_run(run.folds, run.label(), preparation);
  if (run.signs == nullptr) folded.period = run.period();
  folded.log = identity_of_log(*run.run->run);
  folded.prepare = prepare_text(setup.prepare);
  folded.columns = describe_columns(setup);
  folded.motion = run.positions->motion(preparation.grid.step);
  return folded;
}

}  // namespace

std::vector<FoldedRun> fold_study(const Study& study, const StudyOptions& options) {
  StudyClock clock(options);
  Setup setup = open({&study, &options, &clock});
  // Forms of friction change the robot's drive terms; the doctor looks at it as the study gives it.
  const bool forms = has_friction_forms(study.drive_spec);
  OpenOptions open;
  open.watch_signals = options.examine && !forms;
  // Processes that share chunks would all have to start again.
  open.presume_uniform = !forms && !has_unsigned_runs(study) && processes().size() == 1;
  Runs runs = open_runs(setup, open);
  Examined examined;
  if (options.examine && forms) examined = examine_runs(setup, runs, kHead);
  std::vector<Finding> made = setup.findings;
  setup = with_fitted_friction(std::move(setup), runs, made);
  runs = with_rows_of(setup, std::move(runs));
  const Signs signs = recover_run_signs(setup, runs);
  if (signs.gains.size() > 0) {
    setup.sign_gains = signs.gains;
    runs = open_runs(setup);
  }
  std::vector<RunRows> rows = fold_runs(setup, runs, signs.runs);
  add_to(made, keep_still_joints(setup, rows));
  if (options.examine && !forms) examined = examine_runs(setup, runs, kHead);
  Fit fit;
  if (study.estimator.instruments) fit = fit_rows(setup, runs, rows);
  std::vector<FoldedRun> files;
  std::size_t fitted = 0;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    FoldedRun& file = files.emplace_back(to_file(setup, rows[r]));
    const std::size_t block = rows[r].is_fit() ? fitted++ : 0;
    if (!rows[r].has_samples()) continue;
    std::vector<Finding> own = made;
    if (rows[r].signs != nullptr) add_to(own, signs.findings);
    file.findings = findings_of_run(runs[r], examined, r, own);
    if (!rows[r].is_fit() || !fit.instrument) continue;
    const InstrumentSummary& summary = *fit.estimator.instruments;
    file.instruments = {summary.cutoff, summary.simulated, fit.estimator_blocks[block]};
  }
  return files;
}

}  // namespace steelyard
