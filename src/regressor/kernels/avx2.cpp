// Kernels for AVX2 and FMA, four lanes.
#include "steelyard/regressor/simd.hpp"

#if defined(__AVX2__)
#include <immintrin.h>
#define STEELYARD_LANES 4
namespace steelyard::simd {
namespace {
#include "regressor/kernels/kernel.inl"
}
const Table* avx2_table() {
  return &kTable;
}
}  // namespace steelyard::simd
#else
namespace steelyard::simd {
const Table* avx2_table() {
  return nullptr;
}
}  // namespace steelyard::simd
#endif
