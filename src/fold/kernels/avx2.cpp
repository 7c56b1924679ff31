// Fold kernels for AVX2 and FMA, four lanes.
#include "fold/kernels/triangle.hpp"

#if defined(__AVX2__)
#include <immintrin.h>
#define STEELYARD_LANES 4
namespace steelyard::fold_kernels {
namespace {
#include "fold/kernels/fold.inl"
}
FoldTile avx2_fold() {
  return fold_tile;
}
}  // namespace steelyard::fold_kernels
#else
namespace steelyard::fold_kernels {
FoldTile avx2_fold() {
  return nullptr;
}
}  // namespace steelyard::fold_kernels
#endif
