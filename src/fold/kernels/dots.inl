// Inner products and updates of tile columns.
//
// Sums are kept in eight logical lanes, sample s in lane s mod 8, and added as ((0+1)+(2+3))+((4+5)+(6+7)).
// Narrower kernels go over the samples once per part of the eight lanes, so that all widths add the same
// numbers in the same order.

using Quad = double __attribute__((vector_size(32)));

constexpr int kPasses = kPanel / STEELYARD_LANES;
#if STEELYARD_LANES == 8
constexpr int kRowBlock = 4;  // columns of a panel held in registers at a time: 4 × 4 sums, 32 registers
constexpr int kUpdateRows = 8, kUpdateColumns = 2;
#else
constexpr int kRowBlock = 2;  // 2 × 4 sums, 16 registers
constexpr int kUpdateRows = 4, kUpdateColumns = 2;
#endif

// Sums of the lanes of four accumulators.
STEELYARD_INLINE void reduce(V a, V b, V c, V d, double* out) {
#if STEELYARD_LANES == 8
  const V ab = __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14) +
               __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15);
  const V cd = __builtin_shufflevector(c, d, 0, 8, 2, 10, 4, 12, 6, 14) +
               __builtin_shufflevector(c, d, 1, 9, 3, 11, 5, 13, 7, 15);
  const V abcd = __builtin_shufflevector(ab, cd, 0, 1, 8, 9, 4, 5, 12, 13) +
                 __builtin_shufflevector(ab, cd, 2, 3, 10, 11, 6, 7, 14, 15);
  const Quad sum =
      __builtin_shufflevector(abcd, abcd, 0, 1, 2, 3) + __builtin_shufflevector(abcd, abcd, 4, 5, 6, 7);
  __builtin_memcpy(out, &sum, sizeof sum);
#elif STEELYARD_LANES == 4
  const V ab = __builtin_shufflevector(a, b, 0, 4, 2, 6) + __builtin_shufflevector(a, b, 1, 5, 3, 7);
  const V cd = __builtin_shufflevector(c, d, 0, 4, 2, 6) + __builtin_shufflevector(c, d, 1, 5, 3, 7);
  store(out, __builtin_shufflevector(ab, cd, 0, 1, 4, 5) + __builtin_shufflevector(ab, cd, 2, 3, 6, 7));
#else
  store(out, __builtin_shufflevector(a, b, 0, 2) + __builtin_shufflevector(a, b, 1, 3));
  store(out + 2, __builtin_shufflevector(c, d, 0, 2) + __builtin_shufflevector(c, d, 1, 3));
#endif
}

// Adds the parts of four sums that the passes found; `parts` are `step` apart.
STEELYARD_INLINE void join(const double* parts, Size step, double* out) {
  for (int j = 0; j < 4; ++j) {
    const double* p = parts + j;
#if STEELYARD_LANES == 8
    out[j] = p[0];
    (void)step;
#elif STEELYARD_LANES == 4
    out[j] = p[0] + p[step];
#else
    out[j] = (p[0] + p[step]) + (p[2 * step] + p[3 * step]);
#endif
  }
}

// out[v * kPanel + j] = Σ_s x[v][s] t[j][s] for kRowBlock columns x and Columns ≤ 4 columns t; the other
// entries of a row of four become zero.
template <int Columns>
STEELYARD_INLINE void dots(const double* const* x, const double* const* t, Size samples, double* out) {
  double parts[kPasses][kRowBlock][4];
  for (int pass = 0; pass < kPasses; ++pass) {
    V sum[kRowBlock][4] = {};
    for (Size s = pass * kWidth; s < samples; s += kPanel) {
      V column[Columns];
#pragma GCC unroll 4
      for (int j = 0; j < Columns; ++j) column[j] = load(t[j] + s);
#pragma GCC unroll 4
      for (int v = 0; v < kRowBlock; ++v) {
        const V xv = load(x[v] + s);
#pragma GCC unroll 4
        for (int j = 0; j < Columns; ++j) sum[v][j] = fma(xv, column[j], sum[v][j]);
      }
    }
#pragma GCC unroll 4
    for (int v = 0; v < kRowBlock; ++v) reduce(sum[v][0], sum[v][1], sum[v][2], sum[v][3], parts[pass][v]);
  }
  for (int v = 0; v < kRowBlock; ++v) join(parts[0][v], 4 * kRowBlock, out + v * kPanel);
}

// The same for the products of four columns with one another: only j ≥ v, the other entries become zero.
STEELYARD_INLINE void own_dots(const double* const* x, Size samples, double* out) {
  double parts[kPasses][4][4];
  for (int pass = 0; pass < kPasses; ++pass) {
    V sum[4][4] = {};
    for (Size s = pass * kWidth; s < samples; s += kPanel) {
      V column[4];
#pragma GCC unroll 4
      for (int v = 0; v < 4; ++v) column[v] = load(x[v] + s);
#pragma GCC unroll 4
      for (int v = 0; v < 4; ++v) {
#pragma GCC unroll 4
        for (int j = v; j < 4; ++j) sum[v][j] = fma(column[v], column[j], sum[v][j]);
      }
    }
#pragma GCC unroll 4
    for (int v = 0; v < 4; ++v) reduce(sum[v][0], sum[v][1], sum[v][2], sum[v][3], parts[pass][v]);
  }
  for (int v = 0; v < 4; ++v) join(parts[0][v], 16, out + v * kPanel);
}

// t[j] −= Σ_k u[k * kPanel + j] x[k] for kUpdateColumns columns t and all columns x of a panel.
STEELYARD_INLINE void update(const double* const* x, double* const* t, Size samples, const double* u) {
#pragma GCC unroll 2
  for (int first = 0; first < kPanel; first += kUpdateRows) {
    V factor[kUpdateRows][kUpdateColumns];
#pragma GCC unroll 8
    for (int k = 0; k < kUpdateRows; ++k) {
      factor[k][0] = all(u[(first + k) * kPanel]);
      factor[k][1] = all(u[(first + k) * kPanel + 1]);
    }
    for (Size s = 0; s < samples; s += kWidth) {
      V t0 = load(t[0] + s), t1 = load(t[1] + s);
#pragma GCC unroll 8
      for (int k = 0; k < kUpdateRows; ++k) {
        const V xk = load(x[first + k] + s);
        t0 = fnma(factor[k][0], xk, t0);
        t1 = fnma(factor[k][1], xk, t1);
      }
      store(t[0] + s, t0);
      store(t[1] + s, t1);
    }
  }
}
