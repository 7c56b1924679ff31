// Fold kernels for every processor, two lanes: SSE2 on x86-64, NEON on aarch64, plain code elsewhere.
#include "fold/kernels/triangle.hpp"

#if defined(__aarch64__)
#include <arm_neon.h>
#endif
#define STEELYARD_LANES 2
namespace steelyard::fold_kernels {
namespace {
#include "fold/kernels/fold.inl"
}
const Kernels* baseline_fold() {
  return &kKernels;
}
}  // namespace steelyard::fold_kernels
