// What the fold kernels read and write: pointers and counts. Shared by files compiled for different
// instruction sets, so it includes nothing of a library (see regressor/kernels/simd.hpp).
//
// The triangle is row-major, size × stride, its entries below the diagonal are not touched; the diagonal is ≥
// 0 before and after. Columns of the tile are given by pointer and are overwritten.
#pragma once

#include "regressor/kernels/simd.hpp"

namespace steelyard::fold_kernels {

using simd::Size;

inline constexpr int kPanel = 8;  // columns that are reflected together; also the logical lanes of every sum

struct Call {
  double* const* columns = nullptr;  // padded_size pointers; those past `size` are columns of zeros
  Size samples = 0;                  // a multiple of kPanel, padded by zeros
  Size size = 0;                     // columns
  double* triangle = nullptr;        // padded_size rows
  Size stride = 0;                   // ≥ padded_size
  // Column k of the tile is zero from sample k + 1 on (the tile is a triangle itself) and stays so: the zeros
  // are skipped.
  bool upper = false;
};

constexpr Size padded_size(Size size) {
  return (size + kPanel - 1) / kPanel * kPanel;
}

using FoldTile = void (*)(const Call&);

// Null when the kernels were not compiled for the processor family.
FoldTile baseline_fold();
FoldTile avx2_fold();
FoldTile avx512_fold();

}  // namespace steelyard::fold_kernels
