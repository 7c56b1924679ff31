// What the fold kernels read and write: pointers and counts. Shared by files compiled for different
// instruction sets, so it includes nothing of a library (see core/simd.hpp).
//
// The triangle is row-major, size × stride, its entries below the diagonal are not touched; the diagonal is ≥
// 0 before and after. Columns of the tile are given by pointer and are overwritten.
#pragma once

#include "steelyard/core/simd.hpp"

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

// The Gram matrix is row-major. `columns` are `size` rounded up to a multiple of four, the last ones zeros.
struct GramCall {
  double* const* columns = nullptr;
  Size samples = 0;  // a multiple of kPanel
  Size size = 0;
  double* gram = nullptr;
  Size stride = 0;
};

struct SubtractCall {
  const double* const* columns = nullptr;
  const double* factors = nullptr;
  Size count = 0;  // of columns
  double* target = nullptr;
  Size samples = 0;  // a multiple of kPanel
};

struct Kernels {
  void (*fold)(const Call&);
  void (*gram)(const GramCall&);
  void (*subtract)(const SubtractCall&);
};

// Null when the kernels were not compiled for the processor family.
const Kernels* baseline_fold();
const Kernels* avx2_fold();
const Kernels* avx512_fold();

}  // namespace steelyard::fold_kernels
