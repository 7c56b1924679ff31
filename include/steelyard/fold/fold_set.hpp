// The folds of a run: rows × time blocks, in memory that does not grow with the run.
//
// Slot k is what chunk k of the run gave, one fold a row. Slots come in the order of their index, and
// neighbours are merged on the fixed binary tree over indices: a block is the tree's node over 2^level slots,
// and the level rises when there would be more than `max_blocks` blocks. Blocks thus depend on the number of
// slots alone, not on threads, and neither do their bytes.
//
// For cross-validation neighbours must not share what a filter has smeared over their border: the rows of the
// last samples of each slot may be kept apart as its gap. Within a block gaps are ordinary rows; the gap of a
// block is that of its last slot, and is left out when only one of the two blocks beside it is trained on.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/fold/fold.hpp"

namespace steelyard::inline STEELYARD_ABI {

inline constexpr Index kMaxBlocks = 128;

// One fold per row of the run, in the order of the layouts.
struct FoldSlot {
  std::vector<Fold> core;
  std::vector<Fold> gap;  // empty: none
};

struct FoldBlock {
  Index first_slot = 0;
  Index slots = 0;
  std::vector<Fold> core;  // with the gaps inside the block
  std::vector<Fold> gap;   // between this block and the next; empty: none

  // Core and gap together.
  std::vector<Fold> all() const;
};

// Neighbours as one block: the gap of the left one is now inside.
FoldBlock join(FoldBlock left, FoldBlock right);

class FoldSet {
 public:
  // Throws InputError for layouts that are not valid, and unless max_blocks is even and positive.
  explicit FoldSet(std::vector<Layout> layouts, Index max_blocks = kMaxBlocks);
  // A set that is complete, from its blocks() as they were: nothing can be appended.
  FoldSet(std::vector<FoldBlock> blocks, Index slots, Index slots_per_block);

  const std::vector<std::shared_ptr<const Layout>>& layouts() const { return layouts_; }
  Index slots() const { return slots_; }
  Index slots_per_block() const { return Index{1} << level_; }

  // Empty folds for the next slot.
  std::vector<Fold> empty_folds() const;

  // Slot number slots(). Throws InputError when its layouts are not those of the set.
  void append(FoldSlot slot);

  // At most max_blocks, in order; folds carry the number of their block. The last block may have fewer
  // slots.
  std::vector<FoldBlock> blocks() const;

  // All blocks, one fold per row.
  std::vector<Fold> total() const;

 private:
  struct Node {
    int level = 0;
    FoldBlock block;
  };
  void carry(std::vector<Node>& nodes, int level) const;

  std::vector<std::shared_ptr<const Layout>> layouts_;
  Index max_blocks_ = kMaxBlocks;
  Index slots_ = 0;
  int level_ = 0;
  bool complete_ = false;
  std::vector<Node> nodes_;  // levels fall from left to right, full blocks first: a binary counter
};

// Slots 0 … count − 1 from `fn` on at most `threads` threads, appended in order. Memory: a few slots a
// thread.
void append_slots(FoldSet& set, Index count, int threads, const std::function<FoldSlot(Index)>& fn);

// Merges neighbours, then their merges, and so on. Nothing for an empty list.
std::vector<Fold> merge_tree(std::vector<std::vector<Fold>> folds);

}  // namespace steelyard
