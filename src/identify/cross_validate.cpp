#include <set>

#include "identify/checks.hpp"
#include "identify/summary.hpp"

namespace steelyard::inline STEELYARD_ABI {

HeldOut held_out_groups(const std::vector<RunRows>& runs, const CrossOptions& options) {
  HeldOut held;
  held.by = "index";
  for (const RunRows& run : runs) {
    if (!run.is_fit()) continue;
    held.blocks.push_back(run.folds.folds.blocks());
    const Index count = static_cast<Index>(held.blocks.back().size());
    const double block_samples =
        static_cast<double>(run.folds.slot_samples * run.folds.folds.slots_per_block());
    double period = 0;  // samples
    if (options.by_phase)
      period = options.period ? *options.period / run.run->preparation().grid.step : run.period();
    if (period >= 2 * block_samples && period < static_cast<double>(run.folds.samples)) {
      held.groups.push_back(groups_by_phase(count, block_samples, period, options.blocks));
      held.by = "phase";
    } else {
      held.groups.push_back(groups_by_index(count, options.blocks));
    }
  }
  return held;
}

CrossValidation cross_validate_estimator(const Setup& setup, const Fit& fit,
                                         const std::vector<std::vector<FoldBlock>>& blocks,
                                         const BlockGroups& groups) {
  EstimateOptions options = setup.study().estimate;
  options.conditions = false;
  const bool own = !fit.estimator_blocks.empty();
  return cross_validate(own ? fit.estimator_blocks : blocks, blocks, groups,
                        [&](std::span<const Fold> training) -> FittedColumns {
                          Estimate part = fit.instrument
                                              ? instrument_estimate(training, options, fit.priors).estimate
                                              : estimate(training, options, fit.priors);
                          return {std::move(part.columns), std::move(part.values), part.status};
                        });
}

bool has_two_groups(const BlockGroups& groups) {
  std::set<int> all;
  for (const std::vector<int>& run : groups) all.insert(run.begin(), run.end());
  return all.size() > 1;
}

HeldOutCheck cross_validate_runs(const Setup& setup, const Folded& folded, const Fit& fit) {
  HeldOutCheck check;
  const bool requested = setup.study().cross.has_value();
  const HeldOut held = held_out_groups(folded.runs, setup.study().cross.value_or(CrossOptions()));
  if (!has_two_groups(held.groups)) {
    if (requested)
      check.unavailable =
          "cross_validation: the fitted runs are too short for two sections of two memories of the filters";
    return check;
  }
  check.refits = setup.clock().time(
      "cross-validation", [&] { return cross_validate_estimator(setup, fit, held.blocks, held.groups); });
  if (requested)
    check.summary = {static_cast<int>(check.refits.groups), held.by,
                     residual_summary(check.refits.per_row, setup.plan, setup.robot)};
  return check;
}

}  // namespace steelyard
