// Forward and inverse dynamics for AVX-512VL, four lanes: for few samples. Twice the registers of AVX2, and the same bytes.
#include "dynamics/kernels/articulated.hpp"

#if defined(__AVX512VL__)
#include <immintrin.h>
#define STEELYARD_LANES 4
namespace steelyard::articulated {
namespace {
#include "dynamics/kernels/articulated.inl"
}
const Table* avx512_narrow_table() {
  return &kTable;
}
}  // namespace steelyard::articulated
#else
namespace steelyard::articulated {
const Table* avx512_narrow_table() {
  return nullptr;
}
}  // namespace steelyard::articulated
#endif
