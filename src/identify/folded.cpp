#include "identify/folded.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "identify/estimators.hpp"
#include "identify/extra_columns.hpp"
#include "identify/friction.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/study/provenance.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {
namespace {

// The study's own preparation counts when it is given, or made for a log.
bool preparation_counts(const Study& study) {
  return study.prepare_given || std::any_of(study.runs.begin(), study.runs.end(),
                                            [](const StudyRun& run) { return run.folded == nullptr; });
}

std::optional<LowPass> designed(const FilterOptions& filter, double step) {
  if (filter.cutoff <= 0) return std::nullopt;
  return design_low_pass(filter.order, filter.cutoff, 1 / step);
}

}  // namespace

namespace {

[[noreturn]] void refuse_folds(const RunState& run, const std::string& difference) {
  throw InputError({fmt::format("the folds of run '{}' are not of this study: {}", run.label(), difference),
                    {run.run->file.path, 0, 0, ""},
                    "the robot, the columns and the preparation of the study",
                    "use the study that made them, or make them again with `steelyard fold`"});
}

}  // namespace

bool fits_folds(const StudyState& state) {
  return std::any_of(state.runs.begin(), state.runs.end(),
                     [](const RunState& run) { return run.is_fit() && !run.prepared; });
}

bool fits_logs(const StudyState& state) {
  return std::any_of(state.runs.begin(), state.runs.end(),
                     [](const RunState& run) { return run.is_fit() && run.prepared; });
}

void take_cutoffs_of_folds(StudyState& state) {
  take_cutoffs(first_folded(state.study)->folded->prepare, state.prepare);
}

void open_folded_run(const StudyState& state, RunState& run) {
  const FoldedRun& folded = *run.run->folded;
  run.folds = to_fold_pass(folded);
  run.period = folded.period.value_or(0);
  Preparation& preparation = run.folded_preparation;
  preparation.grid.step = folded.step;
  preparation.grid.samples = folded.samples;
  preparation.filter = designed(folded.filter, folded.step);
  preparation.column_filter = designed(folded.column_filter, folded.step);
  preparation.decimation.factor = folded.decimation;
  const FoldedRun& first = *first_folded(state.study)->folded;
  if (preparation_counts(state.study)) return;
  if (const auto difference = first_difference(folded, first))
    refuse_folds(run, fmt::format("{} ('{}')", *difference, first.label));
}

// Expressions count whether or not the preparation does.
void check_folded_layouts(const StudyState& state) {
  const std::string columns = describe_columns(state), wanted = prepare_text(state.prepare);
  for (const RunState& run : state.runs) {
    if (run.prepared) continue;
    const FoldedRun& folded = *run.run->folded;
    std::vector<Layout> expected = with_extra_columns(study_layouts(state), all_columns(state, *run.run));
    const auto& found = run.folds->folds.layouts();
    if (found.size() != expected.size())
      refuse_folds(run, fmt::format("{} rows a sample here and {} there", found.size(), expected.size()));
    for (std::size_t r = 0; r < found.size(); ++r) {
      expected[r].preparation = found[r]->preparation;
      if (const auto difference = first_difference(*found[r], expected[r])) refuse_folds(run, *difference);
      if (preparation_counts(state.study) && folded.prepare != wanted)
        refuse_folds(run, fmt::format("the preparation is {} here and {} there", folded.prepare, wanted));
      if (found[r]->preparation != preparation_hash(folded.prepare, columns))
        refuse_folds(run, expression_difference(folded.columns, columns));
    }
  }
}

bool has_instruments(const StudyState& state) {
  return std::all_of(state.runs.begin(), state.runs.end(), [](const RunState& run) {
    return !run.is_fit() || run.prepared || !run.run->folded->instruments.blocks.empty();
  });
}

void estimate_with_folded_instruments(StudyState& state) {
  InstrumentSummary summary;
  summary.simulated = true;
  Index number = 0;
  for (const RunState& run : state.runs) {
    if (!run.is_fit()) continue;
    const FoldedInstruments& folded = run.run->folded->instruments;
    summary.cutoff = folded.cutoff;
    summary.simulated = summary.simulated && folded.simulated;
    state.estimator_blocks.push_back(folded.blocks);
    number = append_blocks(folded.blocks, number, state.instrument_folds);
  }
  state.instrument = instrument_estimate(state.instrument_folds, state.study.estimate, state.priors);
  state.estimated = state.instrument->estimate;
  state.result.estimator->iterations = 1;
  state.result.estimator->converged = true;
  report_instruments(*state.instrument, summary, state.findings);
  state.result.estimator->instruments = summary;
}

std::vector<FoldedRun> folded_runs(const StudyState& state) {
  std::vector<FoldedRun> runs;
  std::size_t fit = 0;
  for (const RunState& run : state.runs) {
    const std::size_t blocks = run.is_fit() ? fit++ : 0;
    if (!run.prepared) {
      runs.push_back(*run.run->folded);
      continue;
    }
    FoldedRun& folded = runs.emplace_back(to_folded_run(*run.folds, run.label(), run.preparation()));
    folded.period = run.period;
    folded.prepare = prepare_text(state.prepare);
    folded.columns = describe_columns(state);
    folded.findings = run.findings;
    folded.motion = run.motion;
    if (!run.is_fit() || !state.instrument) continue;
    const InstrumentSummary& summary = *state.result.estimator->instruments;
    folded.instruments = {summary.cutoff, summary.simulated, state.estimator_blocks[blocks]};
  }
  return runs;
}

void list_unavailable(StudyState& state) {
  std::vector<std::string>& list = state.result.unavailable;
  const Study& study = state.study;
  for (const RunState& run : state.runs) {
    if (run.prepared) continue;
    const std::string& label = run.label();
    list.push_back(
        fmt::format("validation[{}].residual.raw, whiteness, band_coverage: the run is folds, without "
                    "samples",
                    label));
    list.push_back(fmt::format("curves, spectra and motion of {}: the run is folds, without samples", label));
    list.push_back(fmt::format(
        "findings about the signals and the set-up of {}: the doctor reads logs, the run is folds{}", label,
        is_examined(*run.run->folded) ? "; those of its examination before folding are listed"
                                      : " without an examination"));
    if (study.cross && study.cross->by_phase && !study.cross->period && !run.run->folded->period)
      list.push_back(fmt::format("cross_validation by phase in {}: its folds do not tell the period", label));
  }
  if (!fits_folds(state)) return;
  list.emplace_back("residual.raw and bands: a fitted run is folds, without samples");
  if (study.feasible) list.emplace_back("feasible.residual.raw: a fitted run is folds, without samples");
  if (study.feasible && study.feasible->joint_forces)
    list.emplace_back("links[].wrench at instants of the runs: folds have no motion; sinusoids instead");
  if (study.intervals.bias_check)
    list.emplace_back("bias by differentiation: refits at other cut-offs need the log");
  if (study.cutoff.automatic)
    list.emplace_back("preparation.candidates: the cut-off is that of the folds; others need the log");
  if (study.estimator.instruments && !has_instruments(state))
    list.emplace_back(
        "estimate by method iv: not all folds have instrument columns (`steelyard fold` with method iv "
        "writes "
        "them); least squares instead");
  if (study.estimator.single_rows)
    list.emplace_back("estimate by method huber: weights of single rows need the log; by row instead");
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
