#include <set>

#include "identify/checks.hpp"
#include "identify/friction.hpp"
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
  std::vector<Fold> priors = fit.priors;
  for (Fold& shapes : shape_priors(setup, fit.estimated)) priors.push_back(std::move(shapes));
  const bool own = !fit.estimator_blocks.empty();
  return cross_validate(
      own ? fit.estimator_blocks : blocks, blocks, groups,
      [&](std::span<const Fold> training) -> FittedColumns {
        Estimate part = fit.instrument ? instrument_estimate(training, options, priors).estimate
                                       : estimate(training, options, priors);
        return {std::move(part.columns), std::move(part.values), part.status};
      },
      training_of(options));
}

bool has_two_groups(const BlockGroups& groups) {
  std::set<int> all;
  for (const std::vector<int>& run : groups) all.insert(run.begin(), run.end());
  return all.size() > 1;
}

namespace {

// Residuals of the rows at standstill by the refits without their group; empty: there are no such rows.
std::vector<Residual> held_out_standstill(const Folded& folded, const BlockGroups& groups,
                                          const CrossValidation& refits) {
  std::vector<std::vector<FoldBlock>> blocks;
  bool any = false;
  for (const RunRows& run : folded.runs) {
    if (!run.is_fit()) continue;
    if (!run.folds.rest) return {};
    for (const Fold& fold : run.folds.rest->total()) any = any || fold.rows() > 0;
    blocks.push_back(run.folds.rest->blocks());
  }
  if (!any) return {};
  std::vector<std::vector<Residual>> parts;
  const std::vector<HeldOutPart> held = held_out_parts(blocks, groups, Training::merged);
  for (std::size_t g = 0; g < held.size(); ++g)
    parts.push_back(residuals(held[g].tested, refits.columns, refits.values[g]).per_row);
  return added_by_row(parts);
}

}  // namespace

HeldOutCheck cross_validate_runs(const Setup& setup, const Folded& folded, const Fit& fit) {
  HeldOutCheck check;
  const bool requested = setup.study().cross.has_value();
  if (fit.with_springs) {
    if (requested) check.unavailable = "cross_validation: rows without springs are not refitted";
    return check;
  }
  const HeldOut held = held_out_groups(folded.runs, setup.study().cross.value_or(CrossOptions()));
  if (!has_two_groups(held.groups)) {
    if (requested)
      check.unavailable =
          "cross_validation: the fitted runs are too short for two sections of two memories of the filters";
    return check;
  }
  check.refits = setup.clock().time(
      "cross-validation", [&] { return cross_validate_estimator(setup, fit, held.blocks, held.groups); });
  if (!requested) return check;
  check.summary = {static_cast<int>(check.refits.groups), held.by,
                   residual_summary(check.refits.per_row, setup.plan, setup.robot)};
  if (const std::vector<Residual> rest = held_out_standstill(folded, held.groups, check.refits);
      !rest.empty())
    put_standstill(residual_summary(added_by_row({check.refits.per_row, rest}), setup.plan, setup.robot),
                   check.summary->residual);
  return check;
}

}  // namespace steelyard
