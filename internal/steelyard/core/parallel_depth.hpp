// Whether the calling thread is inside a parallel_for: work there is not shared among processes again.
#pragma once

#include "steelyard/core/abi.hpp"

namespace steelyard::inline STEELYARD_ABI {

bool is_inside_parallel_for();

}  // namespace steelyard
