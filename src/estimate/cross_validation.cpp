#include "steelyard/estimate/cross_validation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <span>

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

std::vector<int> tested_groups(const BlockGroups& groups) {
  std::set<int> all;
  for (const std::vector<int>& run : groups) all.insert(run.begin(), run.end());
  all.erase(all.begin(), all.lower_bound(0));
  if (all.size() >= 2) return {all.begin(), all.end()};
  throw InputError({fmt::format("cross-validation over {} groups", all.size()),
                    {},
                    "at least two groups",
                    "divide the runs into more blocks"});
}

// Folds, and the lowest and highest group whose training they are no part of.
struct Piece {
  int low = -1, high = -1;
  const std::vector<Fold>* folds = nullptr;
  Index block = 0;

  bool has(int group) const { return group == low || group == high; }
  bool has_any(std::span<const int> groups) const {
    return std::any_of(groups.begin(), groups.end(), [&](int group) { return has(group); });
  }
};

// A gap belongs to a part when both blocks beside it do. Block numbers go on from run to run, so that weights by block
// do not mix runs.
std::vector<Piece> pieces_of(const std::vector<std::vector<FoldBlock>>& runs, const BlockGroups& groups) {
  std::vector<Piece> pieces;
  Index number = 0;
  for (std::size_t r = 0; r < runs.size(); ++r)
    for (std::size_t b = 0; b < runs[r].size(); ++b, ++number) {
      const int own = groups[r][b], next = b + 1 == runs[r].size() ? own : groups[r][b + 1];
      pieces.push_back({own, own, &runs[r][b].core, number});
      pieces.push_back({std::min(own, next), std::max(own, next), &runs[r][b].gap, number});
    }
  return pieces;
}

std::vector<Fold> tested_folds(const std::vector<Piece>& pieces, int group) {
  std::vector<Fold> out;
  for (const Piece& piece : pieces)
    if (piece.low == group && piece.high == group)
      for (const Fold& fold : *piece.folds) out.emplace_back(fold).set_block(piece.block);
  return out;
}

std::vector<Fold> folds_by_block(const std::vector<Piece>& pieces, int group) {
  std::vector<Fold> out;
  for (const Piece& piece : pieces)
    if (!piece.has(group))
      for (const Fold& fold : *piece.folds) out.emplace_back(fold).set_block(piece.block);
  return out;
}

void merge_into(const std::vector<Fold>& folds, std::vector<Fold>& all) {
  for (const Fold& fold : folds) {
    const auto same = std::find_if(all.begin(), all.end(), [&](const Fold& known) {
      return known.shared_layout() == fold.shared_layout() || known.layout() == fold.layout();
    });
    if (same != all.end())
      same->merge(fold);
    else
      all.emplace_back(fold).set_block(0);
  }
}

// Halves the groups until one is left: what belongs to neither half of the rest is merged once for all of that half.
void merge_without(std::span<const int> groups, std::vector<Piece> pieces, std::vector<Fold> all,
                   std::vector<std::vector<Fold>>& out) {
  for (const Piece& piece : pieces)
    if (!piece.has_any(groups)) merge_into(*piece.folds, all);
  std::erase_if(pieces, [&](const Piece& piece) { return !piece.has_any(groups); });
  if (groups.size() == 1) {
    out.push_back(std::move(all));
    return;
  }
  const std::size_t half = groups.size() / 2;
  merge_without(groups.first(half), pieces, all, out);
  merge_without(groups.subspan(half), std::move(pieces), std::move(all), out);
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

Training training_of(const EstimateOptions& options) {
  return options.weighting == Weighting::by_row_and_block ? Training::by_block : Training::merged;
}

std::vector<HeldOutPart> held_out_parts(const std::vector<std::vector<FoldBlock>>& runs,
                                        const BlockGroups& groups, Training training) {
  check(runs, groups);
  const std::vector<int> all = tested_groups(groups);
  const std::vector<Piece> pieces = pieces_of(runs, groups);
  std::vector<std::vector<Fold>> merged;
  if (training == Training::merged) merge_without(all, pieces, {}, merged);
  std::vector<HeldOutPart> parts;
  for (std::size_t g = 0; g < all.size(); ++g)
    parts.push_back({all[g],
                     training == Training::merged ? std::move(merged[g]) : folds_by_block(pieces, all[g]),
                     tested_folds(pieces, all[g])});
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
  return cross_validate(
      runs, groups,
      [&](std::span<const Fold> training) -> FittedColumns {
        Estimate fit = estimate(training, quick, priors);
        return {std::move(fit.columns), std::move(fit.values), fit.status};
      },
      training_of(options));
}

CrossValidation cross_validate(const std::vector<std::vector<FoldBlock>>& runs, const BlockGroups& groups,
                               const FitFunction& fit, Training kind) {
  return cross_validate(runs, runs, groups, fit, kind);
}

CrossValidation cross_validate(const std::vector<std::vector<FoldBlock>>& training,
                               const std::vector<std::vector<FoldBlock>>& tested, const BlockGroups& groups,
                               const FitFunction& fit_training, Training kind) {
  check(tested, groups);
  const std::vector<Piece> test_pieces = pieces_of(tested, groups);
  CrossValidation out;
  for (const HeldOutPart& part : held_out_parts(training, groups, kind)) {
    const FittedColumns fit = fit_training(part.training);
    const std::vector<Fold> test = tested_folds(test_pieces, part.group);
    if (out.columns.empty()) out.columns = fit.columns;
    VectorXd values = VectorXd::Zero(static_cast<Index>(out.columns.size()));
    for (std::size_t k = 0; k < out.columns.size(); ++k) {
      const auto found = std::find(fit.columns.begin(), fit.columns.end(), out.columns[k]);
      if (found != fit.columns.end()) values[static_cast<Index>(k)] = fit.values[found - fit.columns.begin()];
    }
    for (const Residual& row : residuals(test, fit.columns, fit.values).per_row) add_by_row(row, out.per_row);
    out.values.push_back(std::move(values));
    out.status.push_back(fit.status);
    ++out.groups;
  }
  out.totals = totals_by_unit(out.per_row);
  return out;
}

}  // namespace steelyard
