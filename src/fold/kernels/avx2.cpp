// Fold kernels for AVX2 and FMA, four lanes.
#include "fold/kernels/triangle.hpp"

#if defined(__AVX2__)
#include <immintrin.h>
#define STEELYARD_LANES 4
namespace steelyard::fold_kernels {
namespace {
#include "fold/kernels/fold.inl"
}
const Kernels* avx2_fold() {
  return &kKernels;
}
}  // namespace steelyard::fold_kernels
#else
namespace steelyard::fold_kernels {
const Kernels* avx2_fold() {
  return nullptr;
}
}  // namespace steelyard::fold_kernels
#endif
