#include "steelyard/estimate/cross_validation.hpp"
#include "study/state.hpp"
#include "study/summary.hpp"

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
      period =
          options.period
              ? *options.period / run.prepared->preparation().grid.step
              : static_cast<double>(find_period(run.prediction.coarse_position) * run.prediction.coarse_step);
    if (period >= 2 * block_samples && period < static_cast<double>(run.folds->samples)) {
      held.groups.push_back(groups_by_phase(count, block_samples, period, options.blocks));
      held.by = "phase";
    } else {
      held.groups.push_back(groups_by_index(count, options.blocks));
    }
  }
  return held;
}

void cross_validate_runs(StudyState& state) {
  if (!state.study.cross) return;
  state.result.cross_validation = state.clock.time("cross-validation", [&] {
    const HeldOut held = held_out_groups(state.runs, *state.study.cross);
    const CrossValidation found =
        cross_validate(held.blocks, held.groups, state.study.estimate, state.priors);
    CrossValidationSummary summary;
    summary.by = held.by;
    summary.blocks = static_cast<int>(found.groups);
    summary.residual = residual_summary(found.per_row, state.plan, state.robot);
    return summary;
  });
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
