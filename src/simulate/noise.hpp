// Random numbers by sample: number s of (seed, purpose, joint) whatever range is requested.
#pragma once

#include <cstdint>
#include <string_view>

#include "steelyard/core/abi.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct NoiseKey {
  std::uint64_t seed;
  std::string_view purpose;
  Index joint = 0;
};

// Samples first … first + count − 1 to out; first ≥ −256.
void fill_normal(const NoiseKey& key, Index first, Index count, double* out);   // standard deviation 1
void fill_uniform(const NoiseKey& key, Index first, Index count, double* out);  // −1 … 1

// Whether a chance of `probability` comes true at the sample.
bool is_drawn(const NoiseKey& key, Index sample, double probability);

}  // namespace steelyard
