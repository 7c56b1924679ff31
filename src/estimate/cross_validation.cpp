#include "steelyard/estimate/cross_validation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "estimate/residuals.hpp"
#include "steelyard/core/error.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

void check(const std::vector<std::vector<FoldBlock>>& runs, const BlockGroups& groups) {
  if (groups.size() != runs.size()) {
    throw InputError(
        {fmt::format("groups for {} runs of {}", groups.size(), runs.size()), {}, "one list per run", ""});
  }
  for (std::size_t r = 0; r < runs.size(); ++r) {
    if (groups[r].size() == runs[r].size()) continue;
    throw InputError(
        {fmt::format("groups for {} blocks of the {} of run {}", groups[r].size(), runs[r].size(), r + 1),
         {},
         "one group per block",
         ""});
  }
}

std::set<int> tested_groups(const BlockGroups& groups) {
  std::set<int> all;
  for (const std::vector<int>& run : groups) all.insert(run.begin(), run.end());
  all.erase(all.begin(), all.lower_bound(0));
  if (all.size() >= 2) return all;
  throw InputError({fmt::format("cross-validation over {} groups", all.size()),
                    {},
                    "at least two groups",
                    "divide the runs into more blocks"});
}

// The blocks of a group, or those outside it. Block numbers go on from run to run, so that weights by block
// do not mix runs. A gap belongs to a part when both blocks beside it do.
std::vector<Fold> split(const std::vector<std::vector<FoldBlock>>& runs, const BlockGroups& groups, int group,
                        bool inside) {
  std::vector<Fold> part;
  Index number = 0;
  const auto put = [&](const std::vector<Fold>& folds) {
    for (const Fold& fold : folds) part.emplace_back(fold).set_block(number);
  };
  for (std::size_t r = 0; r < runs.size(); ++r) {
    for (std::size_t b = 0; b < runs[r].size(); ++b, ++number) {
      if ((groups[r][b] == group) != inside) continue;
      put(runs[r][b].core);
      if (b + 1 == runs[r].size() || (groups[r][b + 1] == group) == inside) put(runs[r][b].gap);
    }
  }
  return part;
}

}  // namespace

std::vector<int> groups_by_index(Index blocks, int groups) {
  if (groups < 2) throw InputError({fmt::format("{} groups of blocks", groups), {}, "at least two", ""});
  std::vector<int> out;
  const Index used = std::min<Index>(groups, blocks);
  for (Index b = 0; b < blocks; ++b) out.push_back(static_cast<int>(b * used / blocks));
  return out;
}

std::vector<int> groups_by_phase(Index blocks, double block_samples, double period, int groups) {
  if (groups < 2) throw InputError({fmt::format("{} groups of blocks", groups), {}, "at least two", ""});
  if (!(block_samples > 0) || !(period >= 2 * block_samples)) {
    throw InputError({fmt::format("blocks of {} samples in a period of {}", block_samples, period),
                      {},
                      "at least two blocks per period",
                      "use smaller blocks, or groups by index"});
  }
  std::vector<int> out;
  for (Index b = 0; b < blocks; ++b) {
    const double turns = (static_cast<double>(b) + 0.5) * block_samples / period;
    out.push_back(std::min(groups - 1, static_cast<int>((turns - std::floor(turns)) * groups)));
  }
  return out;
}

std::vector<HeldOutPart> held_out_parts(const std::vector<std::vector<FoldBlock>>& runs,
                                        const BlockGroups& groups) {
  check(runs, groups);
  std::vector<HeldOutPart> parts;
  for (const int group : tested_groups(groups))
    parts.push_back({group, split(runs, groups, group, false), split(runs, groups, group, true)});
  return parts;
}

std::vector<Residual> added_by_row(const std::vector<std::vector<Residual>>& parts) {
  std::vector<Residual> out;
  for (const std::vector<Residual>& part : parts)
    for (const Residual& row : part) add_by_row(row, out);
  return out;
}

CrossValidation cross_validate(const std::vector<std::vector<FoldBlock>>& runs, const BlockGroups& groups,
                               const EstimateOptions& options, std::span<const Fold> priors) {
  EstimateOptions quick = options;
  quick.conditions = false;
  return cross_validate(runs, groups, [&](std::span<const Fold> training) -> FittedColumns {
    Estimate fit = estimate(training, quick, priors);
    return {std::move(fit.columns), std::move(fit.values), fit.status};
  });
}

CrossValidation cross_validate(const std::vector<std::vector<FoldBlock>>& runs, const BlockGroups& groups,
                               const FitFunction& fit) {
  return cross_validate(runs, runs, groups, fit);
}

CrossValidation cross_validate(const std::vector<std::vector<FoldBlock>>& training,
                               const std::vector<std::vector<FoldBlock>>& tested, const BlockGroups& groups,
                               const FitFunction& fit_training) {
  check(training, groups);
  check(tested, groups);
  CrossValidation out;
  for (const int group : tested_groups(groups)) {
    const FittedColumns fit = fit_training(split(training, groups, group, false));
    const std::vector<Fold> test = split(tested, groups, group, true);
    if (out.columns.empty()) out.columns = fit.columns;
    VectorXd values = VectorXd::Zero(static_cast<Index>(out.columns.size()));
    for (std::size_t k = 0; k < out.columns.size(); ++k) {
      const auto found = std::find(fit.columns.begin(), fit.columns.end(), out.columns[k]);
      if (found != fit.columns.end()) values[static_cast<Index>(k)] = fit.values[found - fit.columns.begin()];
    }
    for (const Residual& part : residuals(test, fit.columns, fit.values).per_row)
      add_by_row(part, out.per_row);
    out.values.push_back(std::move(values));
    out.status.push_back(fit.status);
    ++out.groups;
  }
  out.totals = totals_by_unit(out.per_row);
  return out;
}

}  // namespace steelyard
