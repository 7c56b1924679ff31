// Householder reflections of a tile under a triangle, eight columns at a time.
//
// Reflection k takes the column (α; x) of triangle and tile to (ν; 0), ν = √(α² + xᵀx), and, with d = xᵀt,
// every later column (r; t) to
//   r' = (α r + d) / ν,     t' = t − u x,     u = (r + r') / (α + ν).
// This is the reflection with v = (α + ν; x), no cancellation as α ≥ 0, followed by a change of sign of row
// k: the diagonal stays non-negative. Only one row of the triangle takes part: that is how its zeros are
// skipped.
//
// In a panel of eight the x_k are left in the tile. Later columns see all eight at once: with D = xᵀt taken
// before the first reflection and G_ki = x_kᵀx_i, the inner product of reflection k is d_k = D_k − Σ_{i<k}
// G_ki u_i.
//
// Included once per instruction set inside an anonymous namespace, with STEELYARD_LANES set.

#include "core/kernels/lanes.inl"

#include "fold/kernels/dots.inl"

struct Panel {
  double* x[kPanel];
  double gram[kPanel * kPanel];  // G_ki, i < k
  double keep[kPanel];           // α/ν
  double take[kPanel];           // 1/ν
  double step[kPanel];           // 1/(α + ν)
};

// Inner products of column k with all columns of the panel, after t_j −= u[j] x_{k−1} for the columns j ≥ k.
template <int K>
STEELYARD_INLINE void step_dots(double* const* x, Size samples, const double* u, double* out) {
  constexpr int kBefore = K > 0 ? K - 1 : 0;
  double parts[kPasses][kPanel];
  for (int pass = 0; pass < kPasses; ++pass) {
    V sum[kPanel] = {};
    for (Size s = pass * kWidth; s < samples; s += kPanel) {
      V column[kPanel];
#pragma GCC unroll 8
      for (int j = 0; j < kPanel; ++j) column[j] = load(x[j] + s);
      if (K > 0) {
#pragma GCC unroll 8
        for (int j = K; j < kPanel; ++j) {
          column[j] = fnma(all(u[j]), column[kBefore], column[j]);
          store(x[j] + s, column[j]);
        }
      }
#pragma GCC unroll 8
      for (int j = 0; j < kPanel; ++j) sum[j] = fma(column[K], column[j], sum[j]);
    }
    reduce(sum[0], sum[1], sum[2], sum[3], parts[pass]);
    reduce(sum[4], sum[5], sum[6], sum[7], parts[pass] + 4);
  }
  join(parts[0], kPanel, out);
  join(parts[0] + 4, kPanel, out + 4);
}

// Reflection K of the panel; `row` is row K of the triangle from the panel's first column on.
template <int K>
STEELYARD_INLINE void reflect(Panel& panel, Size samples, double* row, double* u) {
  double dot[kPanel];
  step_dots<K>(panel.x, samples, u, dot);
  const double alpha = row[K], square = dot[K];
  panel.keep[K] = 1;
  panel.take[K] = panel.step[K] = 0;
  if (square != 0) {
    const double norm = __builtin_sqrt(alpha * alpha + square);
    panel.take[K] = 1 / norm;
    panel.keep[K] = alpha / norm;
    panel.step[K] = 1 / (alpha + norm);
    row[K] = norm;
  }
  for (int i = 0; i < K; ++i) panel.gram[K * kPanel + i] = dot[i];
  for (int j = K + 1; j < kPanel; ++j) {
    const double before = row[j];
    row[j] = before * panel.keep[K] + dot[j] * panel.take[K];
    u[j] = (before + row[j]) * panel.step[K];
  }
}

STEELYARD_INLINE void factor(Panel& panel, Size samples, double* triangle, Size stride) {
  double u[kPanel] = {};
  reflect<0>(panel, samples, triangle, u);
  reflect<1>(panel, samples, triangle + stride, u);
  reflect<2>(panel, samples, triangle + 2 * stride, u);
  reflect<3>(panel, samples, triangle + 3 * stride, u);
  reflect<4>(panel, samples, triangle + 4 * stride, u);
  reflect<5>(panel, samples, triangle + 5 * stride, u);
  reflect<6>(panel, samples, triangle + 6 * stride, u);
  reflect<7>(panel, samples, triangle + 7 * stride, u);
}

// From the inner products of eight later columns to their rows of the triangle and their factors u, in place.
STEELYARD_INLINE void substitute(const Panel& panel, double* triangle, Size stride, double* dot) {
  for (Size lane = 0; lane < kPanel; lane += kWidth) {
    V u[kPanel];
#pragma GCC unroll 8
    for (int k = 0; k < kPanel; ++k) {
      V d = load(dot + k * kPanel + lane);
#pragma GCC unroll 8
      for (int i = 0; i < k; ++i) d = fnma(all(panel.gram[k * kPanel + i]), u[i], d);
      double* row = triangle + k * stride + lane;
      const V before = load(row);
      const V after = fma(before, all(panel.keep[k]), d * all(panel.take[k]));
      u[k] = (before + after) * all(panel.step[k]);
      store(row, after);
      store(dot + k * kPanel + lane, u[k]);
    }
  }
}

STEELYARD_INLINE void apply(const Panel& panel, double* const* t, Size columns, Size samples,
                            double* triangle, Size stride) {
  double dot[kPanel * kPanel] = {};
  for (Size j = 0; j < columns; j += 4) {
    for (int k = 0; k < kPanel; k += kRowBlock) dots<4>(panel.x + k, t + j, samples, dot + k * kPanel + j);
  }
  substitute(panel, triangle, stride, dot);
  for (Size j = 0; j < columns; j += kUpdateColumns) update(panel.x, t + j, samples, dot + j);
}

void fold_tile(const Call& call) {
  for (Size first = 0; first < call.size; first += kPanel) {
    const Size used = first + kPanel;
    const Size samples = call.upper && used < call.samples ? used : call.samples;
    Panel panel;
    for (int k = 0; k < kPanel; ++k) panel.x[k] = call.columns[first + k];
    double* triangle = call.triangle + first * call.stride + first;
    factor(panel, samples, triangle, call.stride);
    for (Size later = used; later < call.size; later += kPanel) {
      const Size columns = call.size - later < kPanel ? call.size - later : kPanel;
      apply(panel, call.columns + later, columns, samples, triangle + (later - first), call.stride);
    }
  }
}

#include "fold/kernels/gram.inl"

constexpr Kernels kKernels = {fold_tile, add_gram, subtract};
