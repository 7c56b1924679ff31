// Fold kernels for AVX-512 (F, DQ, VL), eight lanes.
#include "fold/kernels/triangle.hpp"

#if defined(__AVX512DQ__)
#include <immintrin.h>
#define STEELYARD_LANES 8
namespace steelyard::fold_kernels {
namespace {
#include "fold/kernels/fold.inl"
}
const Kernels* avx512_fold() {
  return &kKernels;
}
}  // namespace steelyard::fold_kernels
#else
namespace steelyard::fold_kernels {
const Kernels* avx512_fold() {
  return nullptr;
}
}  // namespace steelyard::fold_kernels
#endif
