#include "log/filter/block_sums_kernel.hpp"

#include <algorithm>
#include <utility>

namespace steelyard::inline STEELYARD_ABI {
namespace kernels {
namespace {

// Columns C…, one vector of weights; the sums stay in registers.
template <int Bytes, int... C>
inline __attribute__((always_inline)) void sum_columns(std::integer_sequence<int, C...>,
                                                       const SumWeights& weights, const double* x,
                                                       Index stride, Index first_weight, double* to,
                                                       Index to_stride) {
  typedef double V __attribute__((vector_size(Bytes), may_alias, aligned(8)));
  constexpr Index kWidth = Bytes / static_cast<Index>(sizeof(double));
  const double* table = weights.table + first_weight;
  V sum[sizeof...(C)] = {};
  for (Index j = 0; j < weights.samples; ++j) {
    const V weight = *reinterpret_cast<const V*>(table + j * weights.width);
    ((sum[C] += weight * x[C * stride + j]), ...);
  }
  const Index used = std::min(kWidth, weights.count - first_weight);
  for (Index w = 0; w < used; ++w) ((to[(first_weight + w) * to_stride + C] = sum[C][w]), ...);
}

template <int Bytes>
inline __attribute__((always_inline)) void sum_block(const SumWeights& weights, const SumColumns& columns,
                                                     double* to, Index to_stride) {
  constexpr Index kWidth = Bytes / static_cast<Index>(sizeof(double));
  for (Index w = 0; w < weights.count; w += kWidth) {
    if (columns.count == kSumColumns) {
      sum_columns<Bytes>(std::make_integer_sequence<int, kSumColumns>(), weights, columns.data,
                         columns.stride, w, to, to_stride);
      continue;
    }
    for (Index c = 0; c < columns.count; ++c)
      sum_columns<Bytes>(std::make_integer_sequence<int, 1>(), weights, columns.data + c * columns.stride,
                         columns.stride, w, to + c, to_stride);
  }
}

void sum_baseline(const SumWeights& weights, const SumColumns& columns, double* to, Index to_stride) {
  sum_block<16>(weights, columns, to, to_stride);
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) void sum_avx2(const SumWeights& weights, const SumColumns& columns,
                                              double* to, Index to_stride) {
  sum_block<32>(weights, columns, to, to_stride);
}

__attribute__((target("avx512f"))) void sum_avx512(const SumWeights& weights, const SumColumns& columns,
                                                   double* to, Index to_stride) {
  sum_block<64>(weights, columns, to, to_stride);
}
#endif

}  // namespace

std::vector<BlockSum> available_block_sums() {
  std::vector<BlockSum> sums = {sum_baseline};
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2")) sums.push_back(sum_avx2);
  if (__builtin_cpu_supports("avx512f")) sums.push_back(sum_avx512);
#endif
  return sums;
}

BlockSum block_sum() {
  static const BlockSum best = available_block_sums().back();
  return best;
}

}  // namespace kernels
}  // namespace steelyard
