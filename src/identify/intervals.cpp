// Step of a study: intervals of the estimate, and whether differentiation has biased it.
#include "steelyard/estimate/intervals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "identify/bias.hpp"
#include "identify/folded.hpp"
#include "identify/intervals.hpp"
#include "identify/signs.hpp"
#include "identify/state.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {
namespace {

// The smallest over the fit runs: the efforts' noise goes through the filter of the columns only.
double effective_share_of(const std::vector<RunState>& runs) {
  double share = 1;
  for (const RunState& run : runs) {
    if (!run.is_fit()) continue;
    const Preparation& preparation = run.preparation();
    if (preparation.column_filter)
      share = std::min(share, effective_share(*preparation.column_filter, preparation.decimation.factor));
  }
  return share;
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
  if (spec.bias_check && usable && !state.instrument && !fits_folds(state) && !has_unsigned_runs(state.study))
    check_bias(state);
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
