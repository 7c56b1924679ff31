#include "steelyard/log/whole_run.hpp"

#include <utility>

namespace steelyard::inline STEELYARD_ABI {

SampleBlock whole_run(PreparedRun& run) {
  SampleBlock all;
  run.rewind();
  for (RawChunk raw; run.read(raw); raw = {}) {
    const PreparedChunk chunk = run.prepare(std::move(raw));
    if (all.joints() == 0) all = SampleBlock(chunk.samples.channels(), chunk.samples.joints());
    all.append(chunk.samples, chunk.chunk.core.begin - chunk.chunk.halo.begin, chunk.chunk.core.size());
  }
  return all;
}

}  // namespace steelyard
