#include "fma_peak.hpp"

#include "clock.hpp"

#if defined(__x86_64__)
#include <immintrin.h>

namespace {

constexpr int kChains = 12;  // more than latency × units of any processor so far
constexpr int kRounds = 20000;

double sink;

__attribute__((target("avx512f"))) int run_avx512() {
  __m512d x[kChains];
  const __m512d a = _mm512_set1_pd(0.999), b = _mm512_set1_pd(0.001);
  for (int k = 0; k < kChains; ++k) x[k] = _mm512_set1_pd(k);
  for (int r = 0; r < kRounds; ++r) {
#pragma GCC unroll 12
    for (int k = 0; k < kChains; ++k) x[k] = _mm512_fmadd_pd(x[k], a, b);
  }
  for (int k = 0; k < kChains; ++k) sink = sink + x[k][0];
  return 16;
}

__attribute__((target("avx2,fma"))) int run_avx2() {
  __m256d x[kChains];
  const __m256d a = _mm256_set1_pd(0.999), b = _mm256_set1_pd(0.001);
  for (int k = 0; k < kChains; ++k) x[k] = _mm256_set1_pd(k);
  for (int r = 0; r < kRounds; ++r) {
#pragma GCC unroll 12
    for (int k = 0; k < kChains; ++k) x[k] = _mm256_fmadd_pd(x[k], a, b);
  }
  for (int k = 0; k < kChains; ++k) sink = sink + x[k][0];
  return 8;
}

// SSE2 has no fused operation: a product and a sum.
int run_baseline() {
  __m128d x[kChains];
  const __m128d a = _mm_set1_pd(0.999), b = _mm_set1_pd(0.001);
  for (int k = 0; k < kChains; ++k) x[k] = _mm_set1_pd(k);
  for (int r = 0; r < kRounds; ++r) {
#pragma GCC unroll 12
    for (int k = 0; k < kChains; ++k) x[k] = _mm_add_pd(_mm_mul_pd(x[k], a), b);
  }
  for (int k = 0; k < kChains; ++k) sink = sink + x[k][0];
  return 4;
}

}  // namespace

double fma_peak(steelyard::IsaLevel level) {
  using steelyard::IsaLevel;
  if (!steelyard::is_available(level)) return 0;
  double best = 0;
  for (int trial = 0; trial < 30; ++trial) {
    const double start = thread_nanoseconds();
    const int flops = level == IsaLevel::avx512 ? run_avx512()
                      : level == IsaLevel::avx2 ? run_avx2()
                                                : run_baseline();
    const double rate = static_cast<double>(flops) * kChains * kRounds / (thread_nanoseconds() - start);
    best = rate > best ? rate : best;
  }
  return best;
}

#else

double fma_peak(steelyard::IsaLevel) {
  return 0;
}

#endif
