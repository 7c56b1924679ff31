// Work by index: fn(0) … fn(count-1), each once, on at most `threads` threads including the caller's.
//
// Indices are handed out in ascending order. When fn throws, no further index is started, those under way
// end, and the exception of the lowest index that threw is rethrown: regardless of the number of threads, it
// is the one that a plain loop would have met first. fn must not touch what another index writes; results go
// into slots by index.
#pragma once

#include <functional>
#include <stop_token>

#include "steelyard/core/abi.hpp"

namespace steelyard::inline STEELYARD_ABI {

// threads ≤ 1 runs in the calling thread. Fewer threads are used when the system refuses to start more.
void parallel_for(Index count, int threads, const std::function<void(Index)>& fn);

// The same, asking before each index whether to stop. Returns true when all indices were run. `stop` is
// called from all threads; once it returns true no further index is started.
bool parallel_for(Index count, int threads, const std::function<void(Index)>& fn,
                  const std::function<bool()>& stop);
bool parallel_for(Index count, int threads, const std::function<void(Index)>& fn,
                  const std::stop_token& stop);

// Number of hardware threads, at least 1.
int hardware_threads();

}  // namespace steelyard
