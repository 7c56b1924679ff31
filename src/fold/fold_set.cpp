#include "steelyard/fold/fold_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "steelyard/core/error.hpp"
#include "steelyard/core/pool.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

void merge_rows(std::vector<Fold>& into, const std::vector<Fold>& rows) {
  if (into.empty())
    into = rows;
  else
    for (std::size_t r = 0; r < rows.size(); ++r) into[r].merge(rows[r]);
}

}  // namespace

FoldBlock join(FoldBlock left, FoldBlock right) {
  if (!left.gap.empty()) merge_rows(left.core, left.gap);
  merge_rows(left.core, right.core);
  left.gap = std::move(right.gap);
  left.slots += right.slots;
  return left;
}

std::vector<Fold> FoldBlock::all() const {
  std::vector<Fold> folds = core;
  if (!gap.empty()) merge_rows(folds, gap);
  return folds;
}

std::vector<Fold> merge_tree(std::vector<std::vector<Fold>> folds) {
  if (folds.empty()) return {};
  while (folds.size() > 1) {
    std::vector<std::vector<Fold>> half;
    for (std::size_t k = 0; k < folds.size(); k += 2) {
      half.push_back(std::move(folds[k]));
      if (k + 1 < folds.size()) merge_rows(half.back(), folds[k + 1]);
    }
    folds = std::move(half);
  }
  return std::move(folds.front());
}

FoldSet::FoldSet(std::vector<Layout> layouts, Index max_blocks) : max_blocks_(max_blocks) {
  if (max_blocks < 2 || max_blocks % 2 != 0) {
    throw InputError({fmt::format("at most {} blocks", max_blocks), {}, "an even positive number", ""});
  }
  for (Layout& layout : layouts) {
    layout.validate();
    layouts_.push_back(std::make_shared<const Layout>(std::move(layout)));
  }
}

FoldSet::FoldSet(std::vector<FoldBlock> blocks, Index slots, Index slots_per_block)
    : slots_(slots), complete_(true) {
  require(!blocks.empty(), "a complete set has blocks");
  for (const Fold& fold : blocks.front().core) layouts_.push_back(fold.shared_layout());
  while (Index{1} << level_ < slots_per_block) ++level_;
  for (FoldBlock& block : blocks) nodes_.push_back({level_, std::move(block)});
}

std::vector<Fold> FoldSet::empty_folds() const {
  std::vector<Fold> folds;
  for (const auto& layout : layouts_) folds.emplace_back(layout);
  return folds;
}

// Joins the last two nodes while they have the same level below `level`.
void FoldSet::carry(std::vector<Node>& nodes, int level) const {
  while (nodes.size() > 1) {
    Node& right = nodes.back();
    Node& left = nodes[nodes.size() - 2];
    if (left.level != right.level || left.level >= level) return;
    left = {left.level + 1, join(std::move(left.block), std::move(right.block))};
    nodes.pop_back();
  }
}

void FoldSet::append(FoldSlot slot) {
  require(!complete_, "nothing is appended to a complete set");
  for (const std::vector<Fold>* folds : {&slot.core, &slot.gap}) {
    if (folds == &slot.gap && folds->empty()) continue;
    require(folds->size() == layouts_.size(), "a slot has one fold per row");
    for (std::size_t r = 0; r < folds->size(); ++r) {
      if ((*folds)[r].shared_layout() == layouts_[r]) continue;
      if (const auto difference = first_difference(*layouts_[r], (*folds)[r].layout())) {
        throw InputError({"a slot does not fit its set: " + *difference, {}, "equal layouts", ""});
      }
    }
  }
  nodes_.push_back({0, {slots_, 1, std::move(slot.core), std::move(slot.gap)}});
  ++slots_;
  carry(nodes_, level_);
  if (slots_ <= max_blocks_ << level_) return;
  // One slot more than fits: all blocks are full, the new slot stands alone behind them.
  ++level_;
  std::vector<Node> nodes;
  for (Node& node : nodes_) {
    nodes.push_back(std::move(node));
    carry(nodes, level_);
  }
  nodes_ = std::move(nodes);
}

std::vector<FoldBlock> FoldSet::blocks() const {
  std::vector<FoldBlock> blocks;
  const auto full =
      std::find_if(nodes_.begin(), nodes_.end(), [this](const Node& n) { return n.level < level_; });
  for (auto node = nodes_.begin(); node != full; ++node) blocks.push_back(node->block);
  if (full != nodes_.end()) {
    // The unfinished block: smaller nodes first, as the tree would have joined them.
    FoldBlock last = nodes_.back().block;
    for (auto node = std::prev(nodes_.end()); node != full;) last = join((--node)->block, std::move(last));
    blocks.push_back(std::move(last));
  }
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    for (Fold& fold : blocks[b].core) fold.set_block(static_cast<Index>(b));
    for (Fold& fold : blocks[b].gap) fold.set_block(static_cast<Index>(b));
  }
  return blocks;
}

std::vector<Fold> FoldSet::total() const {
  std::vector<std::vector<Fold>> all;
  for (const FoldBlock& block : blocks()) all.push_back(block.all());
  return all.empty() ? empty_folds() : merge_tree(std::move(all));
}

void append_slots(FoldSet& set, Index count, int threads, const std::function<FoldSlot(Index)>& fn) {
  const Index wave = 4 * std::max(1, threads);
  for (Index first = 0; first < count; first += wave) {
    std::vector<FoldSlot> slots(static_cast<std::size_t>(std::min(wave, count - first)));
    parallel_for(static_cast<Index>(slots.size()), threads,
                 [&](Index k) { slots[static_cast<std::size_t>(k)] = fn(first + k); });
    for (FoldSlot& slot : slots) set.append(std::move(slot));
  }
}

}  // namespace steelyard
