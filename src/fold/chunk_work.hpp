// The chunks of a run, read, folded and appended in order: overlapped on threads, shared among processes.
//
//   threads     one thread at a time reads the next chunk, the others prepare and fold those already read;
//               at most two chunks per thread are between reading and appending
//   processes   chunk k is prepared and folded by process k mod size; the first process collects the slots,
//               merges them on the tree and sends the blocks to all
//
// Either way slots are appended by index alone: the same bytes.
#pragma once

#include <functional>

#include "steelyard/fold/pass.hpp"

namespace steelyard::inline STEELYARD_ABI {

// Slots of a chunk, from any thread.
using FoldChunk = std::function<std::vector<FoldSlot>(RawChunk)>;

// Rewinds the run and reads it once.
void fold_chunks(PreparedRun& run, const PassOptions& options, const FoldChunk& fold, FoldSet& set);

}  // namespace steelyard
