// How long the slots of a run should be, when its blocks serve a bootstrap or cross-validation.
#pragma once

#include "steelyard/core/abi.hpp"
#include "steelyard/log/prepare.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

// The largest halving of a chunk that gives at least `blocks` slots, and 32 for a bootstrap, as far as they
// are two memories of the filters long: what is left between two slots, the gap, is one, and a slot must be
// more than that.
Index slot_for_blocks(const PreparedRun& run, Index blocks);

}  // namespace STEELYARD_ABI
}  // namespace steelyard
