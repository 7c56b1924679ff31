// How long the slots of a run are: blocks of a bootstrap, of cross-validation and of fold files are made of
// whole slots.
#pragma once

#include "steelyard/core/abi.hpp"
#include "steelyard/log/prepare.hpp"

namespace steelyard::inline STEELYARD_ABI {

// Samples that one sample is smeared over by the filters.
Index filter_memory(const Preparation& preparation);

// The largest halving of a chunk that gives at least `wanted` slots, as far as they are not shorter than
// `shortest`.
Index halved_slot(Index chunk, Index samples, Index wanted, Index shortest);

// For at least `blocks` blocks, and 32 for a bootstrap. A slot is at least two memories of the filters long:
// what is left out between two slots, the gap, is one, and a slot must be more than that.
Index slot_for_blocks(const PreparedRun& run, Index blocks);

// As short as is of use: slots are 1024 samples and five memories long at least.
Index default_slot(const PreparedRun& run);

}  // namespace steelyard
