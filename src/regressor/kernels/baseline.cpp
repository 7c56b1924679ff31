// Kernels for every processor, two lanes: SSE2 on x86-64, NEON on aarch64, plain code elsewhere.
#include "steelyard/regressor/simd.hpp"

#if defined(__aarch64__)
#include <arm_neon.h>
#endif
#define STEELYARD_LANES 2
namespace steelyard::simd {
namespace {
#include "regressor/kernels/kernel.inl"
}
const Table* baseline_table() {
  return &kTable;
}
}  // namespace steelyard::simd
