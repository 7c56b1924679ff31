// Step of a study: Huber's weights for single rows, a pass over the fit runs for every set of weights.
#include <fmt/format.h>

#include "identify/estimators.hpp"
#include "steelyard/estimate/robust.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

struct WeighedFolds {
  std::vector<Fold> folds;
  std::vector<std::vector<FoldBlock>> blocks;
  std::vector<RowScale> scales;
};

// One pass over all fit runs. Layouts may differ between runs (offsets of their own), row kinds do not.
WeighedFolds fold_weighed(const Setup& setup, const std::vector<RunRows>& runs, const Estimate& estimated,
                          const std::vector<double>& sigma) {
  const RobustOptions& options = setup.study().estimator.robust;
  std::vector<std::string> rows;
  for (const auto& layout : runs.front().folds.folds.layouts()) rows.push_back(layout->row);
  ResidualCounts counts(rows);
  WeighedFolds out;
  Index number = 0;
  for (const RunRows& run : runs) {
    if (!run.is_fit()) continue;
    std::vector<Layout> layouts;
    for (const auto& layout : run.folds.folds.layouts()) layouts.push_back(*layout);
    const RowWeigher weigher(layouts, estimated.columns, estimated.values, sigma, options, counts);
    PassOptions pass;
    pass.slot_samples = run.folds.slot_samples;
    pass.weigh = [&](Index row, std::span<const double* const> columns, Index count, const std::uint8_t* mask,
                     double* weight) { weigher.weigh(row, columns, count, mask, weight); };
    const FoldPass found = fold_prepared(setup, *run.run->run, run.prepared(), pass);
    number = append_blocks(found.folds.blocks(), number, out.folds);
    out.blocks.push_back(found.folds.blocks());
  }
  out.scales = counts.scales(sigma, options);
  return out;
}

std::vector<double> sigmas_of(const std::vector<RowScale>& scales) {
  std::vector<double> sigma;
  for (const RowScale& scale : scales) sigma.push_back(scale.sigma);
  return sigma;
}

void report_rows(const Setup& setup, const std::vector<RowScale>& scales, EstimatorSummary& summary) {
  const std::vector<LogJoint> joints = log_joints(setup.robot);
  for (std::size_t r = 0; r < scales.size(); ++r) {
    const double rows = std::max<double>(1, static_cast<double>(scales[r].rows));
    summary.rows.push_back({joints[static_cast<std::size_t>(setup.plan.rows[r].i)].name, scales[r].sigma,
                            static_cast<double>(scales[r].reduced) / rows,
                            static_cast<double>(scales[r].far) / rows});
  }
}

}  // namespace

Fit with_row_weights(const Setup& setup, const std::vector<RunRows>& runs, Fit fit) {
  const RobustOptions& options = setup.study().estimator.robust;
  const std::vector<Fold> all = fit.folds;  // residuals are reported for all rows, unweighted
  EstimatorSummary& summary = fit.estimator;
  summary.converged = false;
  std::vector<RowScale> scales;
  std::vector<double> sigma = sigmas_of(fold_weighed(setup, runs, fit.estimated, {}).scales);
  for (summary.iterations = 0; summary.iterations < options.max_passes && !summary.converged;
       ++summary.iterations) {
    setup.clock().time(fmt::format("row weights {}", summary.iterations + 1), [&] {
      WeighedFolds weighed = fold_weighed(setup, runs, fit.estimated, sigma);
      Estimate next = estimate(weighed.folds, setup.study().estimate, fit.priors);
      correct_deviations(weighed.scales, next);
      summary.converged = change_in_sigma(fit.estimated, next) < options.tolerance;
      fit.estimated = std::move(next);
      fit.folds = std::move(weighed.folds);
      fit.estimator_blocks = std::move(weighed.blocks);
      scales = std::move(weighed.scales);
    });
    sigma = sigmas_of(scales);
  }
  const Residuals found = residuals(all, fit.estimated.columns, fit.estimated.values);
  fit.estimated.per_row = found.per_row;
  fit.estimated.totals = found.totals;
  report_rows(setup, scales, summary);
  return fit;
}

}  // namespace steelyard
