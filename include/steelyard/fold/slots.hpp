// How long the slots of a run should be, when its blocks serve a bootstrap or cross-validation.
#pragma once

#include "steelyard/core/abi.hpp"
#include "steelyard/log/prepare.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

// The largest halving of a chunk that gives at least `blocks` slots, or smaller for a bootstrap, which likes
// to have 32 blocks as far as they are longer than two memories of the filters.
Index slot_for_blocks(const PreparedRun& run, Index blocks);

}  // namespace STEELYARD_ABI
}  // namespace steelyard
