// Step of a study: Huber's weights for single rows, a pass over the fit runs for every set of weights.
#include <fmt/format.h>

#include "identify/estimators.hpp"
#include "steelyard/estimate/robust.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {
namespace {

struct WeighedFolds {
  std::vector<Fold> folds;
  std::vector<RowScale> scales;
};

// One pass over all fit runs. Layouts may differ between runs (offsets of their own), row kinds do not.
WeighedFolds fold_weighed(StudyState& state, const std::vector<double>& sigma) {
  const RobustOptions& options = state.study.estimator.robust;
  std::vector<std::string> rows;
  for (const auto& layout : state.runs.front().folds->folds.layouts()) rows.push_back(layout->row);
  ResidualCounts counts(rows);
  WeighedFolds out;
  Index number = 0;
  state.estimator_blocks.clear();
  for (RunState& run : state.runs) {
    if (!run.is_fit()) continue;
    std::vector<Layout> layouts;
    for (const auto& layout : run.folds->folds.layouts()) layouts.push_back(*layout);
    const RowWeigher weigher(layouts, state.estimated.columns, state.estimated.values, sigma, options,
                             counts);
    PassOptions pass;
    pass.slot_samples = run.folds->slot_samples;
    pass.weigh = [&](Index row, std::span<const double* const> columns, Index count, const std::uint8_t* mask,
                     double* weight) { weigher.weigh(row, columns, count, mask, weight); };
    const FoldPass found = fold_prepared(state, *run.run, *run.prepared, pass);
    number = append_blocks(found, number, out.folds);
    state.estimator_blocks.push_back(found.folds.blocks());
  }
  out.scales = counts.scales(sigma, options);
  return out;
}

std::vector<double> sigmas_of(const std::vector<RowScale>& scales) {
  std::vector<double> sigma;
  for (const RowScale& scale : scales) sigma.push_back(scale.sigma);
  return sigma;
}

void report_rows(const StudyState& state, const std::vector<RowScale>& scales, EstimatorSummary& summary) {
  const std::vector<LogJoint> joints = log_joints(state.robot);
  for (std::size_t r = 0; r < scales.size(); ++r) {
    const double rows = std::max<double>(1, static_cast<double>(scales[r].rows));
    summary.rows.push_back({joints[static_cast<std::size_t>(state.plan.rows[r].i)].name, scales[r].sigma,
                            static_cast<double>(scales[r].reduced) / rows,
                            static_cast<double>(scales[r].far) / rows});
  }
}

}  // namespace

void estimate_with_row_weights(StudyState& state) {
  const RobustOptions& options = state.study.estimator.robust;
  const std::vector<Fold> all = state.folds;  // residuals are told of all rows, as they are
  EstimatorSummary& summary = *state.result.estimator;
  summary.converged = false;
  std::vector<RowScale> scales;
  std::vector<double> sigma = sigmas_of(fold_weighed(state, {}).scales);
  for (summary.iterations = 0; summary.iterations < options.most_passes && !summary.converged;
       ++summary.iterations) {
    state.clock.time(fmt::format("row weights {}", summary.iterations + 1), [&] {
      WeighedFolds weighed = fold_weighed(state, sigma);
      Estimate next = estimate(weighed.folds, state.study.estimate, state.priors);
      correct_deviations(weighed.scales, next);
      summary.converged = change_in_sigma(state.estimated, next) < options.tolerance;
      state.estimated = std::move(next);
      state.folds = std::move(weighed.folds);
      scales = std::move(weighed.scales);
    });
    sigma = sigmas_of(scales);
  }
  const Residuals found = residuals(all, state.estimated.columns, state.estimated.values);
  state.estimated.per_row = found.per_row;
  state.estimated.totals = found.totals;
  report_rows(state, scales, summary);
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
