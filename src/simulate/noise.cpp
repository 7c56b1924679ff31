#include "simulate/noise.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "steelyard/core/error.hpp"
#include "steelyard/core/random.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

// A stream serves this many samples in a row: making its key costs as much as a few numbers. The first block
// holds the samples before 0.
constexpr Index kNoiseBlock = 256;

template <class Draw>
void fill(const NoiseKey& key, Index first, Index count, double* out, Draw draw) {
  require(first >= -kNoiseBlock, "noise begins one block before the first sample");
  const std::string purpose = fmt::format("simulate: {} of joint {}", key.purpose, key.joint);
  const Index begin = first + kNoiseBlock, end = begin + count;
  for (Index block = begin / kNoiseBlock; block * kNoiseBlock < end; ++block) {
    Random random(key.seed, purpose, static_cast<std::uint64_t>(block));
    const Index stop = std::min((block + 1) * kNoiseBlock, end);
    for (Index s = block * kNoiseBlock; s < stop; ++s) {
      const double value = draw(random);
      if (s >= begin) out[s - begin] = value;
    }
  }
}

}  // namespace

void fill_normal(const NoiseKey& key, Index first, Index count, double* out) {
  fill(key, first, count, out, [](Random& random) { return random.normal(); });
}

void fill_uniform(const NoiseKey& key, Index first, Index count, double* out) {
  fill(key, first, count, out, [](Random& random) { return random.uniform(-1, 1); });
}

bool is_drawn(const NoiseKey& key, Index sample, double probability) {
  Random random(key.seed, key.purpose, static_cast<std::uint64_t>(sample));
  return random.uniform() < probability;
}

}  // namespace steelyard
