// Kernels for AVX-512VL, four lanes: for few samples. Twice the registers of AVX2, and the same bytes.
#include "steelyard/regressor/simd.hpp"

#if defined(__AVX512VL__)
#include <immintrin.h>
#define STEELYARD_LANES 4
namespace steelyard::simd {
namespace {
#include "regressor/kernels/kernel.inl"
}
const Table* avx512_narrow_table() {
  return &kTable;
}
}  // namespace steelyard::simd
#else
namespace steelyard::simd {
const Table* avx512_narrow_table() {
  return nullptr;
}
}  // namespace steelyard::simd
#endif
