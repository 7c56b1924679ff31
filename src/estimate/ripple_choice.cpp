#include "steelyard/estimate/ripple_choice.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "estimate/held_out_grams.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr TermRule kRippleRule = {3, 0.1, 6};  // of the squares a tenth: a twentieth of the joint's error

// The folds without the dictionary's columns but those of a row's own terms.
std::vector<std::vector<FoldBlock>> with_terms_of(const std::set<std::string>& own,
                                                  const std::vector<std::string>& dictionary,
                                                  std::vector<std::vector<FoldBlock>> runs) {
  const std::set<std::string> tried(dictionary.begin(), dictionary.end());
  for (std::vector<FoldBlock>& run : runs)
    for (FoldBlock& block : run)
      for (std::vector<Fold>* folds : {&block.core, &block.gap})
        for (Fold& fold : *folds) {
          std::vector<std::string> kept;
          for (const std::string& column : fold.layout().columns)
            if (own.contains(column) || !tried.contains(column)) kept.push_back(column);
          if (kept.size() == fold.layout().columns.size()) continue;
          const Index number = fold.block();
          fold = select_columns(fold, kept);
          fold.set_block(number);
        }
  return runs;
}

Index rows_in(const std::vector<std::vector<FoldBlock>>& runs) {
  std::set<std::string> rows;
  for (const std::vector<FoldBlock>& run : runs)
    for (const FoldBlock& block : run)
      for (const Fold& fold : block.core)
        if (fold.rows() > 0) rows.insert(fold.layout().row);
  return std::max<Index>(1, static_cast<Index>(rows.size()));
}

// Logarithm of the squares of a group over those of another model.
Eigen::ArrayXd gains_of(const HeldOutScore& rich, const HeldOutScore& simple) {
  std::vector<double> list;
  for (Index g = 0; g < rich.squares.size(); ++g)
    if (rich.squares[g] > 0 && simple.squares[g] > 0)
      list.push_back(std::log(simple.squares[g] / rich.squares[g]));
  return Eigen::Map<const Eigen::ArrayXd>(list.data(), static_cast<Index>(list.size()));
}

bool is_clear(const Eigen::ArrayXd& gains, const TermRule& rule) {
  const auto count = static_cast<double>(gains.size());
  if (count < 2 || !(gains.sum() > rule.worthwhile * count)) return false;
  return gains.sum() > rule.errors * std::sqrt(count / (count - 1) * (gains - gains.mean()).square().sum());
}

}  // namespace

std::vector<std::size_t> choose_terms(const std::vector<std::vector<std::string>>& terms,
                                      const std::vector<std::string>& dictionary, const TermRule& given,
                                      const std::vector<std::vector<FoldBlock>>& runs,
                                      const BlockGroups& groups, const EstimateOptions& options) {
  std::set<std::string> own;
  for (const std::vector<std::string>& term : terms) own.insert(term.begin(), term.end());
  TermRule rule = given;
  rule.worthwhile /= static_cast<double>(rows_in(runs));
  const HeldOutGrams grams(with_terms_of(own, dictionary, runs), groups, options);
  std::vector<std::vector<Index>> columns(terms.size());
  std::set<Index> ours;
  for (std::size_t k = 0; k < terms.size(); ++k)
    for (const std::string& name : terms[k]) {
      columns[k].push_back(grams.find(name));
      ours.insert(columns[k].back());
    }
  std::vector<Index> used;
  for (Index k = 0; k < static_cast<Index>(grams.columns().size()); ++k)
    if (!ours.contains(k)) used.push_back(k);
  std::vector<std::size_t> chosen;
  HeldOutScore now = grams.score(used);
  while (chosen.size() < rule.most) {
    std::optional<std::size_t> best;
    HeldOutScore least;
    for (std::size_t k = 0; k < terms.size(); ++k) {
      if (std::find(chosen.begin(), chosen.end(), k) != chosen.end()) continue;
      std::vector<Index> with = used;
      with.insert(with.end(), columns[k].begin(), columns[k].end());
      HeldOutScore score = grams.score(with);
      if (best && gains_of(score, least).sum() <= 0) continue;
      best = k;
      least = std::move(score);
    }
    if (!best || !is_clear(gains_of(least, now), rule)) break;
    used.insert(used.end(), columns[*best].begin(), columns[*best].end());
    chosen.push_back(*best);
    now = std::move(least);
  }
  return chosen;
}

std::vector<RippleChoice> choose_ripple(const RippleOrders& orders, const std::vector<RippleOrders>& all,
                                        const std::vector<std::vector<FoldBlock>>& runs,
                                        const BlockGroups& groups, const EstimateOptions& options) {
  std::vector<std::vector<std::string>> pairs;
  for (const std::string& stem : orders.stems)
    for (const char* kind : {".", ".dry_"}) pairs.push_back({stem + kind + "sin", stem + kind + "cos"});
  std::vector<std::string> dictionary;
  for (const RippleOrders& row : all)
    for (const std::string& stem : row.stems)
      for (const char* end : {".sin", ".cos", ".dry_sin", ".dry_cos"}) dictionary.push_back(stem + end);
  std::vector<RippleChoice> chosen;
  for (const std::size_t k : choose_terms(pairs, dictionary, kRippleRule, runs, groups, options))
    chosen.push_back({k / 2, k % 2 == 1});
  return chosen;
}

std::vector<bool> useful_ripples(const std::vector<std::string>& stems,
                                 const std::vector<std::vector<FoldBlock>>& runs, const BlockGroups& groups,
                                 const EstimateOptions& options) {
  const HeldOutGrams grams(runs, groups, options);
  const auto score_without = [&](const std::vector<bool>& kept, std::size_t left_out) {
    std::set<Index> out;
    for (std::size_t k = 0; k < stems.size(); ++k)
      for (const char* end : {"sin", "cos"})
        if (!kept[k] || k == left_out) out.insert(grams.find(stems[k] + end));
    std::vector<Index> used;
    for (Index k = 0; k < static_cast<Index>(grams.columns().size()); ++k)
      if (!out.contains(k)) used.push_back(k);
    return grams.score(used);
  };
  std::vector<bool> kept(stems.size(), true);
  while (true) {
    const HeldOutScore now = score_without(kept, stems.size());
    std::size_t worst = stems.size();
    double least = 0;
    for (std::size_t k = 0; k < stems.size(); ++k) {
      if (!kept[k]) continue;
      const HeldOutScore without = score_without(kept, k);
      const double gain = std::min(gains_of(now, without).sum(), without.total() - now.total());
      if (gain <= least) least = gain, worst = k;
    }
    if (worst == stems.size()) return kept;
    kept[worst] = false;
  }
}

}  // namespace steelyard
