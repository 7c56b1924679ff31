// Lanes: STEELYARD_LANES samples side by side, and sin and cos of them.
//
// Every product that is added is written as fma(), so that two instruction sets that have it round alike.

using V = double __attribute__((vector_size(8 * STEELYARD_LANES)));
using Bits = long long __attribute__((vector_size(8 * STEELYARD_LANES)));

#define STEELYARD_INLINE inline __attribute__((always_inline))

#if STEELYARD_LANES == 8
STEELYARD_INLINE V fma(V a, V b, V c) {
  return (V)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
}
STEELYARD_INLINE V fnma(V a, V b, V c) {
  return (V)_mm512_fnmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
}
#elif STEELYARD_LANES == 4
STEELYARD_INLINE V fma(V a, V b, V c) {
  return (V)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
}
STEELYARD_INLINE V fnma(V a, V b, V c) {
  return (V)_mm256_fnmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
}
#elif defined(__aarch64__)
STEELYARD_INLINE V fma(V a, V b, V c) {
  return (V)vfmaq_f64((float64x2_t)c, (float64x2_t)a, (float64x2_t)b);
}
STEELYARD_INLINE V fnma(V a, V b, V c) {
  return (V)vfmsq_f64((float64x2_t)c, (float64x2_t)a, (float64x2_t)b);
}
#else
STEELYARD_INLINE V fma(V a, V b, V c) {
  return a * b + c;
}
STEELYARD_INLINE V fnma(V a, V b, V c) {
  return c - a * b;
}
#endif

constexpr Size kWidth = STEELYARD_LANES;

STEELYARD_INLINE V all(double x) {
  return x - V{};
}

STEELYARD_INLINE V load(const double* p) {
  V v;
  __builtin_memcpy(&v, p, sizeof v);
  return v;
}
STEELYARD_INLINE void store(double* p, V v) {
  __builtin_memcpy(p, &v, sizeof v);
}

STEELYARD_INLINE V flip(V v, V sign) {
  return (V)((Bits)v ^ (Bits)sign);
}

STEELYARD_INLINE V select(Bits yes, V a, V b) {
  return yes ? a : b;
}

// −1, 0, 1; NaN stays NaN.
STEELYARD_INLINE V sign_of(V x) {
  const V one = all(1.0);
  return select(x > V{}, one, select(x < V{}, -one, select(x == x, V{}, x)));
}

// q = k π/2 + r for |k| < 2^20. With fused operations π/2 has two parts and r two roundings; without, three
// parts of 33, 33 and 53 bits, k times the first two of which is exact.
STEELYARD_INLINE V reduce_angle(V q, V k) {
#if STEELYARD_LANES > 2 || defined(__aarch64__)
  return fnma(k, all(0x1.1a62633145c07p-54), fnma(k, all(0x1.921fb54442d18p+0), q));
#else
  const V tail = k * all(0x1.3198a2e037073p-69) + k * all(0x1.0b4611a6p-34);
  return (q - k * all(0x1.921fb544p+0)) - tail;
#endif
}

// Right to 2e-16. NaN for |q| ≥ 1e6 and for what is not finite.
STEELYARD_INLINE void sin_cos(V angle, V& sin, V& cos) {
  const V size = (V)((Bits)angle & 0x7fffffffffffffffLL);
  const V q = select(size < all(1e6), angle, all(__builtin_nan("")));
  const V round = all(0x1.8p52);
  const V shifted = q * all(0x1.45f306dc9c883p-1) + round;
  const Bits quadrant = (Bits)shifted;
  const V k = shifted - round;
  const V r = reduce_angle(q, k);
  const V t = r * r;

  // Minimax on |r| ≤ π/4: errors 1.6e-18 and 4.7e-20.
  V s = fma(t, all(0x1.5d63d4f527efdp-33), all(-0x1.ae5db11613f93p-26));
  s = fma(t, s, all(0x1.71de3470e3a0bp-19));
  s = fma(t, s, all(-0x1.a01a019aaf282p-13));
  s = fma(t, s, all(0x1.111111110eaeep-7));
  s = fma(t, s, all(-0x1.555555555553dp-3));
  s = fma(r * t, s, r);
  V c = fma(t, all(-0x1.8fadd07319fdbp-37), all(0x1.1ee9ea6cc6d4dp-29));
  c = fma(t, c, all(-0x1.27e4f807d6278p-22));
  c = fma(t, c, all(0x1.a01a019caef37p-16));
  c = fma(t, c, all(-0x1.6c16c16c15162p-10));
  c = fma(t, c, all(0x1.555555555554cp-5));
  c = fma(t, c, all(-0.5));
  c = fma(t, c, all(1.0));

  const Bits odd = (quadrant << 63) < Bits{};
  sin = flip(select(odd, c, s), (V)((quadrant & 2) << 62));
  cos = flip(select(odd, s, c), (V)(((quadrant + 1) & 2) << 62));
}
