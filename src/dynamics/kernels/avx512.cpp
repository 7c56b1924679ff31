// Forward and inverse dynamics for AVX-512 (F, DQ, VL), eight lanes.
#include "dynamics/kernels/articulated.hpp"

#if defined(__AVX512DQ__)
#include <immintrin.h>
#define STEELYARD_LANES 8
namespace steelyard::articulated {
namespace {
#include "dynamics/kernels/articulated.inl"
}
const Table* avx512_table() {
  return &kTable;
}
}  // namespace steelyard::articulated
#else
namespace steelyard::articulated {
const Table* avx512_table() {
  return nullptr;
}
}  // namespace steelyard::articulated
#endif
