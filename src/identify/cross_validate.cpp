#include <set>

#include "identify/state.hpp"
#include "identify/summary.hpp"
#include "steelyard/estimate/cross_validation.hpp"
#include "steelyard/log/period.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

HeldOut held_out_groups(const std::vector<RunState>& runs, const CrossOptions& options) {
  HeldOut held;
  held.by = "index";
  for (const RunState& run : runs) {
    if (!run.is_fit()) continue;
    held.blocks.push_back(run.folds->folds.blocks());
    const Index count = static_cast<Index>(held.blocks.back().size());
    const double block_samples =
        static_cast<double>(run.folds->slot_samples * run.folds->folds.slots_per_block());
    double period = 0;  // samples
    if (options.by_phase)
      period = options.period ? *options.period / run.preparation().grid.step
               : run.period   ? *run.period
                              : find_period(run.prediction.coarse_position) *
                                  static_cast<double>(run.prediction.coarse_step);
    if (period >= 2 * block_samples && period < static_cast<double>(run.folds->samples)) {
      held.groups.push_back(groups_by_phase(count, block_samples, period, options.blocks));
      held.by = "phase";
    } else {
      held.groups.push_back(groups_by_index(count, options.blocks));
    }
  }
  return held;
}

CrossValidation cross_validate_estimator(const StudyState& state,
                                         const std::vector<std::vector<FoldBlock>>& blocks,
                                         const BlockGroups& groups) {
  EstimateOptions options = state.study.estimate;
  options.conditions = false;
  const bool own = !state.estimator_blocks.empty();
  return cross_validate(own ? state.estimator_blocks : blocks, blocks, groups,
                        [&](std::span<const Fold> training) -> FittedColumns {
                          Estimate fit = state.instrument
                                             ? instrument_estimate(training, options, state.priors).estimate
                                             : estimate(training, options, state.priors);
                          return {std::move(fit.columns), std::move(fit.values), fit.status};
                        });
}

namespace {

bool has_two_groups(const BlockGroups& groups) {
  std::set<int> all;
  for (const std::vector<int>& run : groups) all.insert(run.begin(), run.end());
  return all.size() > 1;
}

}  // namespace

void cross_validate_runs(StudyState& state) {
  if (!state.study.cross) return;
  const HeldOut held = held_out_groups(state.runs, *state.study.cross);
  if (!has_two_groups(held.groups)) {
    state.result.unavailable.emplace_back(
        "cross_validation: the fitted runs are too short for two stretches of two memories of the filters");
    return;
  }
  state.result.cross_validation = state.clock.time("cross-validation", [&] {
    const CrossValidation found = cross_validate_estimator(state, held.blocks, held.groups);
    CrossValidationSummary summary;
    summary.by = held.by;
    summary.blocks = static_cast<int>(found.groups);
    summary.residual = residual_summary(found.per_row, state.plan, state.robot);
    return summary;
  });
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
