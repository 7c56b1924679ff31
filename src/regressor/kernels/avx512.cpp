// Kernels for AVX-512 (F, DQ, VL), eight lanes.
#include "steelyard/regressor/simd.hpp"

#if defined(__AVX512DQ__)
#include <immintrin.h>
#define STEELYARD_LANES 8
namespace steelyard::simd {
namespace {
#include "regressor/kernels/kernel.inl"
}
const Table* avx512_table() {
  return &kTable;
}
}  // namespace steelyard::simd
#else
namespace steelyard::simd {
const Table* avx512_table() {
  return nullptr;
}
}  // namespace steelyard::simd
#endif
