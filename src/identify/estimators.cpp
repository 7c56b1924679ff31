#include "identify/estimators.hpp"

#include <algorithm>
#include <cmath>

#include "identify/folded.hpp"
#include "identify/summary.hpp"
#include "steelyard/estimate/method.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {
namespace {

bool uses_instruments(const StudyState& state) {
  return state.study.estimator.instruments && has_instruments(state);
}

bool weighs_rows(const StudyState& state) {
  return state.study.estimator.single_rows && !fits_folds(state);
}

// As it can be had: instruments and weights of single rows are not in every fold file.
const char* method_name(const StudyState& state) {
  return estimator_method(state.study.estimate.weighting, weighs_rows(state), uses_instruments(state)).name;
}

}  // namespace

Index append_blocks(const FoldPass& pass, Index first, std::vector<Fold>& folds) {
  return append_blocks(pass.folds.blocks(), first, folds);
}

Index append_blocks(const std::vector<FoldBlock>& blocks, Index first, std::vector<Fold>& folds) {
  for (const FoldBlock& block : blocks) {
    for (Fold& fold : block.all()) {
      fold.set_block(first);
      folds.push_back(std::move(fold));
    }
    ++first;
  }
  return first;
}

double change_in_sigma(const Estimate& before, const Estimate& after) {
  double worst = 0;
  for (std::size_t k = 0; k < after.columns.size(); ++k) {
    const auto i = static_cast<Index>(k);
    const Index old = before.find(after.columns[k]);
    if (old < 0 || !std::isfinite(after.sigma[i]) || !(after.sigma[i] > 0)) continue;
    worst = std::max(worst, std::abs(after.values[i] - before.values[old]) / after.sigma[i]);
  }
  return worst;
}

void reduce_to_essential(StudyState& state) {
  const EssentialOptions& options = *state.study.estimator.essential;
  const Essential found = state.instrument ? essential(state.instrument_folds, *state.instrument, options)
                                           : essential(state.folds, state.estimated, options);
  state.before_elimination = state.estimated;
  state.estimated = reduced(state.folds, state.estimated, found);
  EssentialSummary& summary = state.result.estimator->essential.emplace();
  summary.limit = options.ratio;
  summary.ratio = finite_or_none(found.ratio);
  summary.count = static_cast<std::int64_t>(found.columns.size());
  for (const EliminatedColumn& column : found.eliminated) summary.eliminated.push_back(column.column);
  const auto most = std::max_element(found.totals.begin(), found.totals.end(),
                                     [](const Residual& a, const Residual& b) { return a.rows < b.rows; });
  summary.residual = most->relative;
  summary.residual_full = found.totals_full[static_cast<std::size_t>(most - found.totals.begin())].relative;
}

void refine_estimate(StudyState& state) {
  EstimatorSummary& summary = state.result.estimator.emplace();
  summary.method = method_name(state);
  summary.iterations = state.estimated.iterations;
  summary.converged = state.estimated.status != EstimateStatus::not_converged;
  if (uses_instruments(state))
    fits_logs(state) ? estimate_with_instruments(state) : estimate_with_folded_instruments(state);
  if (weighs_rows(state)) estimate_with_row_weights(state);
  if (state.study.estimator.essential)
    state.clock.time("essential parameters", [&] { reduce_to_essential(state); });
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
