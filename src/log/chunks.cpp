#include "steelyard/log/chunks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "steelyard/core/error.hpp"

namespace steelyard::inline STEELYARD_ABI {

Chunk ChunkPlan::chunk(Index k) const {
  return chunk(k, halo);
}

Chunk ChunkPlan::chunk(Index k, Index other_halo) const {
  require(k >= 0 && k < count(), "the requested chunk is outside the run");
  Chunk chunk;
  chunk.index = k;
  chunk.core = {k * size, std::min((k + 1) * size, samples)};
  chunk.halo = {std::max<Index>(0, chunk.core.begin - other_halo),
                std::min(samples, chunk.core.end + other_halo)};
  chunk.ends = {chunk.halo.begin == 0, chunk.halo.end == samples};
  return chunk;
}

ChunkPlan plan_chunks(Index samples, Index size, Index halo) {
  if (samples < 1 || size < 1 || halo < 0) {
    throw InputError(
        {fmt::format("{} samples cannot be divided into chunks of {} with a halo of {}", samples, size, halo),
         {},
         "positive numbers; the halo may be 0",
         {}});
  }
  return {samples, size, halo};
}

std::vector<Index> Decimation::kept(Range range) const {
  require(factor >= 1 && phase >= 0 && phase < factor && trim >= 0,
          "a decimation has a factor and a phase below it");
  const Index first = trim + phase;
  const Index end = std::min(range.end, samples - trim);
  Index index = first;
  if (range.begin > first) index += (range.begin - first + factor - 1) / factor * factor;
  std::vector<Index> indices;
  for (; index < end; index += factor) indices.push_back(index);
  return indices;
}

Index Decimation::count() const {
  const Index span = samples - 2 * trim - phase;
  return span > 0 ? (span + factor - 1) / factor : 0;
}

Index automatic_decimation(double cutoff, double rate) {
  require(cutoff > 0 && rate > 0, "a cut-off and a rate are positive");
  return std::max<Index>(1, static_cast<Index>(std::floor(kCutoffOfDecimated * rate / cutoff + 1e-9)));
}

std::vector<Index> reject_slow(const double* velocity, Index samples, Index stride, const VectorXd& limits,
                               std::uint8_t* mask, Index mask_stride) {
  std::vector<Index> kept;
  for (Index j = 0; j < limits.size(); ++j) {
    Index count = 0;
    for (Index s = 0; s < samples; ++s) {
      const bool keep = std::abs(velocity[j * stride + s]) >= limits(j);
      mask[j * mask_stride + s] = keep;
      count += keep;
    }
    kept.push_back(count);
  }
  return kept;
}

}  // namespace steelyard
