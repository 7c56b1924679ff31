// Forward and inverse dynamics for every processor, two lanes: SSE2 on x86-64, NEON on aarch64, plain code
// elsewhere.
#include "dynamics/kernels/articulated.hpp"

#if defined(__aarch64__)
#include <arm_neon.h>
#endif
#define STEELYARD_LANES 2
namespace steelyard::articulated {
namespace {
#include "dynamics/kernels/articulated.inl"
}
const Table* baseline_table() {
  return &kTable;
}
}  // namespace steelyard::articulated
