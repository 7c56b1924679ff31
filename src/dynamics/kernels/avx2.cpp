// Forward and inverse dynamics for AVX2 and FMA, four lanes.
#include "dynamics/kernels/articulated.hpp"

#if defined(__AVX2__)
#include <immintrin.h>
#define STEELYARD_LANES 4
namespace steelyard::articulated {
namespace {
#include "dynamics/kernels/articulated.inl"
}
const Table* avx2_table() {
  return &kTable;
}
}  // namespace steelyard::articulated
#else
namespace steelyard::articulated {
const Table* avx2_table() {
  return nullptr;
}
}  // namespace steelyard::articulated
#endif
