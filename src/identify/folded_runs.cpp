#include "identify/folded_runs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "identify/extra_columns.hpp"
#include "identify/friction.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/study/provenance.hpp"

namespace steelyard::inline STEELYARD_ABI {
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

[[noreturn]] void refuse_folds(const StudyRun& run, const std::string& difference) {
  throw InputError(
      {fmt::format("the folds of run '{}' do not belong to this study: {}", run.file.label.label, difference),
       {run.file.path, 0, 0, ""},
       "the robot, the columns and the preparation of the study",
       "use the study that produced them, or create them again with `steelyard fold`"});
}

}  // namespace

OpenRun open_folded_run(const Setup& setup, const StudyRun& run) {
  const FoldedRun& folded = *run.folded;
  OpenRun opened;
  opened.run = &run;
  opened.folds = to_fold_pass(folded);
  Preparation& preparation = opened.folded_preparation;
  preparation.grid.step = folded.step;
  preparation.grid.samples = folded.samples;
  preparation.filter = designed(folded.filter, folded.step);
  preparation.column_filter = designed(folded.column_filter, folded.step);
  preparation.decimation.factor = folded.decimation;
  if (preparation_counts(setup.study())) return opened;
  const FoldedRun& first = *first_folded(setup.study())->folded;
  if (const auto difference = first_difference(folded, first))
    refuse_folds(run, fmt::format("{} ('{}')", *difference, first.label));
  return opened;
}

// Expressions count whether or not the preparation does.
void check_folded_layouts(const Setup& setup, const Runs& runs) {
  const std::string columns = describe_columns(setup), wanted = prepare_text(setup.prepare);
  for (const OpenRun& run : runs) {
    if (run.prepared) continue;
    const FoldedRun& folded = *run.run->folded;
    std::vector<Layout> expected = with_extra_columns(study_layouts(setup), all_columns(setup, *run.run));
    const auto& found = run.folds->folds.layouts();
    if (found.size() != expected.size())
      refuse_folds(*run.run,
                   fmt::format("{} rows a sample here and {} there", found.size(), expected.size()));
    for (std::size_t r = 0; r < found.size(); ++r) {
      expected[r].preparation = found[r]->preparation;
      if (const auto difference = first_difference(*found[r], expected[r]))
        refuse_folds(*run.run, *difference);
      if (preparation_counts(setup.study()) && folded.prepare != wanted)
        refuse_folds(*run.run,
                     fmt::format("the preparation is {} here and {} there", folded.prepare, wanted));
      if (found[r]->preparation != preparation_hash(folded.prepare, columns))
        refuse_folds(*run.run, expression_difference(folded.columns, columns));
    }
  }
}

bool has_instruments(const Runs& runs) {
  return std::all_of(runs.begin(), runs.end(), [](const OpenRun& run) {
    return !run.is_fit() || run.prepared || !run.run->folded->instruments.blocks.empty();
  });
}

Fit with_folded_instruments(const Setup& setup, const std::vector<RunRows>& runs, Fit fit) {
  InstrumentSummary summary;
  summary.simulated = true;
  Index number = 0;
  for (const RunRows& run : runs) {
    if (!run.is_fit()) continue;
    const FoldedInstruments& folded = run.run->run->folded->instruments;
    summary.cutoff = folded.cutoff;
    summary.simulated = summary.simulated && folded.simulated;
    fit.estimator_blocks.push_back(folded.blocks);
    number = append_blocks(folded.blocks, number, fit.instrument_folds);
  }
  fit.instrument = instrument_estimate(fit.instrument_folds, setup.study().estimate, fit.priors);
  fit.estimated = fit.instrument->estimate;
  fit.estimator.iterations = 1;
  fit.estimator.converged = true;
  report_instruments(*fit.instrument, summary, fit.findings);
  fit.estimator.instruments = summary;
  return fit;
}

std::vector<std::string> unavailable_from_folds(const Setup& setup, const Runs& runs) {
  std::vector<std::string> list;
  const Study& study = setup.study();
  for (const OpenRun& run : runs) {
    if (run.prepared) continue;
    const std::string& label = run.label();
    list.push_back(fmt::format(
        "validation[{}].residual.raw, whiteness, band_coverage: the run consists of folds, without samples",
        label));
    list.push_back(
        fmt::format("curves, spectra and motion of {}: the run consists of folds, without samples", label));
    list.push_back(fmt::format(
        "findings about the signals and the set-up of {}: the doctor reads logs, the run consists of folds{}",
        label,
        is_examined(*run.run->folded) ? "; those of its examination before folding are listed"
                                      : " without an examination"));
    if (study.cross && study.cross->by_phase && !study.cross->period && !run.run->folded->period)
      list.push_back(
          fmt::format("cross_validation by phase in {}: its folds do not contain the period", label));
  }
  if (!fits_folds(runs)) return list;
  list.emplace_back("residual.raw and bands: a fitted run consists of folds, without samples");
  if (study.feasible)
    list.emplace_back("feasible.residual.raw: a fitted run consists of folds, without samples");
  if (study.feasible && study.feasible->joint_forces)
    list.emplace_back("links[].wrench at instants of the runs: folds have no motion; sinusoids instead");
  if (study.intervals.bias_check)
    list.emplace_back("bias by differentiation: refits at other cut-offs need the log");
  if (study.cutoff.automatic)
    list.emplace_back("preparation.candidates: the cut-off is that of the folds; others need the log");
  if (study.estimator.instruments && !has_instruments(runs))
    list.emplace_back(
        "estimate by method iv: not all folds have instrument columns (`steelyard fold` with method iv "
        "writes them); least squares instead");
  if (study.estimator.single_rows)
    list.emplace_back("estimate by method huber: weights of single rows need the log; by row instead");
  return list;
}

}  // namespace steelyard
