// Step of a study: intervals of the estimate, and whether differentiation has biased it.
#include "steelyard/estimate/intervals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "study/intervals.hpp"
#include "study/state.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {
namespace {

// The smallest over the fit runs: the efforts' noise goes through the filter of the columns only.
double effective_share_of(const std::vector<RunState>& runs) {
  double share = 1;
  for (const RunState& run : runs) {
    if (!run.is_fit()) continue;
    const Preparation& preparation = run.prepared->preparation();
    if (preparation.column_filter)
      share = std::min(share, effective_share(*preparation.column_filter, preparation.decimation.factor));
  }
  return share;
}

bool has_filter(const std::vector<RunState>& runs) {
  for (const RunState& run : runs)
    if (run.is_fit() && !run.prepared->preparation().filter && !run.prepared->preparation().column_filter)
      return false;
  return true;
}

// A refit of all fit runs at `ratio` times the cut-offs that were used, from the same blocks.
struct Refit {
  std::vector<Fold> folds;
  Estimate estimate;
  double ratio = 1;
};

PrepareOptions scaled_options(const PrepareOptions& given, const PreparedRun& run, double ratio) {
  PrepareOptions options = given;
  const Preparation& preparation = run.preparation();
  options.filter.cutoff = preparation.filter ? ratio * preparation.filter->cutoff : 0;
  options.column_filter.cutoff = preparation.column_filter ? ratio * preparation.column_filter->cutoff : 0;
  options.decimation = kAutomatic;
  options.trim = kAutomatic;
  // Halos double when cut-offs are halved; slots divide both sizes.
  options.chunk_size = ratio < 1 ? 2 * run.plan().size : run.plan().size;
  return options;
}

// The largest ratio up to 2 at which all filters stay below the Nyquist frequency.
double ratio_above(const std::vector<RunState>& runs) {
  constexpr double kOfNyquist = 0.9;
  double ratio = 2;
  for (const RunState& run : runs) {
    if (!run.is_fit()) continue;
    const Preparation& preparation = run.prepared->preparation();
    const double most = kOfNyquist / 2 / preparation.grid.step;
    for (const auto& filter : {preparation.filter, preparation.column_filter})
      if (filter) ratio = std::min(ratio, most / filter->cutoff);
  }
  return ratio;
}

// A run may be too short for half its cut-off.
bool is_long_enough(const PreparedRun& run, double ratio) {
  Index memory = 0;
  for (const auto& filter : {run.preparation().filter, run.preparation().column_filter})
    if (filter) memory = std::max(memory, filter->memory);
  return static_cast<double>(run.plan().samples) > 4 * static_cast<double>(memory) / ratio;
}

std::optional<Refit> refit_at(StudyState& state, double ratio) {
  Refit out;
  out.ratio = ratio;
  Index number = 0;
  for (const RunState& run : state.runs) {
    if (!run.is_fit()) continue;
    if (!is_long_enough(*run.prepared, ratio)) return std::nullopt;
    PreparedRun prepared(open_study_run(*run.run, state.robot), run.run->file.label,
                         scaled_options(state.prepare, *run.prepared, ratio));
    PassOptions pass;
    pass.slot_samples = run.folds->slot_samples;
    const FoldPass folds = fold_prepared(state, *run.run, prepared, pass);
    for (const FoldBlock& block : folds.folds.blocks()) {
      for (Fold& fold : block.all()) {
        fold.set_block(number);
        out.folds.push_back(std::move(fold));
      }
      ++number;
    }
  }
  EstimateOptions options = state.study.estimate;
  options.conditions = false;
  out.estimate = estimate(out.folds, options, state.priors);
  state.extra_passes += 2;  // the scan of the stamps, and the folds
  return out;
}

// Influences in a column for every block, also those that have no rows.
MatrixXd influences_of(const std::vector<Fold>& folds, const Estimate& estimate,
                       const std::vector<Fold>& priors, Index blocks, int threads) {
  const BlockMoments moments = block_moments(folds, estimate, priors);
  const MatrixXd own = block_influences(moments, threads);
  MatrixXd all = MatrixXd::Zero(own.rows(), blocks);
  for (std::size_t k = 0; k < moments.numbers.size(); ++k)
    all.col(moments.numbers[k]) = own.col(static_cast<Index>(k));
  return all;
}

void check_bias(StudyState& state) {
  if (!has_filter(state.runs)) return;
  std::vector<Refit> refits;
  for (const double ratio : {0.5, ratio_above(state.runs)})
    if (ratio < 1 || ratio > 1.4)
      if (std::optional<Refit> refit = refit_at(state, ratio)) refits.push_back(std::move(*refit));
  Index blocks = 0;
  for (const Fold& fold : state.folds) blocks = std::max(blocks, fold.block() + 1);
  for (const Refit& refit : refits)
    for (const Fold& fold : refit.folds) blocks = std::max(blocks, fold.block() + 1);
  const int threads = state.options.threads;
  std::vector<OtherCutoff> others;
  for (const Refit& refit : refits)
    others.push_back({&refit.estimate,
                      influences_of(refit.folds, refit.estimate, state.priors, blocks, threads),
                      refit.ratio});
  state.bias = differentiation_bias(state.full(),
                                    influences_of(state.folds, state.full(), state.priors, blocks, threads),
                                    state.intervals.sigma, others);
}

void tell(StudyState& state) {
  const Intervals& found = state.intervals;
  if (state.study.intervals.method == IntervalMethod::bootstrap && found.blocks < kFewBlocks)
    state.findings.push_back(make_finding(
        "few-blocks", "",
        found.method == IntervalMethod::classical
            ? fmt::format("{} blocks are too few for a bootstrap; intervals are classical", found.blocks)
            : fmt::format("intervals from {} blocks", found.blocks)));
  if (!state.bias) return;
  std::string names;
  int count = 0;
  for (std::size_t k = 0; k < state.bias->biased.size(); ++k) {
    if (!state.bias->biased[k]) continue;
    if (++count <= 8) names += (names.empty() ? "" : ", ") + state.estimated.columns[k];
  }
  if (count > 0)
    state.findings.push_back(make_finding(
        "biased-by-differentiation", "",
        fmt::format("{} of {} values move with the cut-off by more than half their deviation: {}{}", count,
                    state.estimated.columns.size(), names,
                    count > 8 ? fmt::format(" and {} more", count - 8) : "")));
}

}  // namespace

void find_intervals(StudyState& state) {
  const IntervalSpec& spec = state.study.intervals;
  IntervalOptions options;
  options.level = spec.level;
  options.method = spec.method;
  options.effective_share = effective_share_of(state.runs);
  options.bootstrap.replicates = spec.replicates;
  options.bootstrap.seed = state.study.seed;
  options.bootstrap.threads = state.options.threads;
  const bool usable = state.estimated.status != EstimateStatus::too_few_rows;
  state.clock.time("intervals", [&] {
    BlockMoments moments;
    if (usable)
      moments = state.instrument ? block_moments(state.instrument_folds, *state.instrument, state.priors)
                                 : block_moments(state.folds, state.full(), state.priors);
    state.intervals = intervals(state.full(), usable ? &moments : nullptr, options);
  });
  if (spec.bias_check && usable && !state.instrument)
    state.clock.time("refits at other cut-offs", [&] { check_bias(state); });
  tell(state);
}

void put_intervals(const StudyState& state, Result& result) {
  const Intervals& found = state.intervals;
  result.intervals = {found.level, to_string(found.method), found.blocks, found.effective_rows,
                      state.bias.has_value()};
  for (BaseValue& value : result.base) {
    const Index k = state.estimated.find(value.name);
    if (k < 0 || k >= found.sigma.size() || !std::isfinite(found.sigma[k])) continue;
    value.sigma = found.sigma[k];
    value.sigma_classical = found.sigma_classical[k];
    value.relative_sigma.reset();
    if (value.value != 0) value.relative_sigma = found.sigma[k] / std::abs(value.value);
    value.method = to_string(found.method);
    value.interval = {found.lower[k], found.upper[k]};
    if (!state.bias || !state.bias->biased[static_cast<std::size_t>(k)]) continue;
    value.interval.reset();
    value.status = "biased by differentiation";
  }
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
