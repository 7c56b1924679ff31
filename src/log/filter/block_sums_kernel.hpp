// Products of one block of samples with the weights of a decimating filter. All instruction sets give the
// same bytes: every sum runs over the samples in their order, and the file is compiled without contraction.
#pragma once

#include <vector>

#include "steelyard/core/abi.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace kernels {

inline constexpr Index kSumColumns = 8;

struct SumWeights {
  const double* table = nullptr;  // [sample][width]
  Index width = 0;                // a multiple of eight
  Index count = 0;                // that are used
  Index samples = 0;
};

struct SumColumns {
  const double* data = nullptr;  // column c begins at c * stride
  Index stride = 0;
  Index count = 0;  // at most kSumColumns
};

// to[w * to_stride + c] = Σ_j table[j][w] column c[j]
using BlockSum = void (*)(const SumWeights& weights, const SumColumns& columns, double* to, Index to_stride);

// The fastest one for this processor.
BlockSum block_sum();

// All that this processor can run; for tests.
std::vector<BlockSum> available_block_sums();

}  // namespace kernels
}  // namespace steelyard
