// Three-vectors in lanes, the motion of a frame, and the samples of a group. Included behind lanes.inl.

struct V3 {
  V x, y, z;
};

STEELYARD_INLINE V3 load3(const double* p) {
  return {load(p), load(p + kWidth), load(p + 2 * kWidth)};
}
STEELYARD_INLINE void store3(double* p, V3 a) {
  store(p, a.x);
  store(p + kWidth, a.y);
  store(p + 2 * kWidth, a.z);
}
STEELYARD_INLINE V3 all3(const double* p) {
  return {all(p[0]), all(p[1]), all(p[2])};
}

// v + a × b
STEELYARD_INLINE V3 add_cross(V3 v, V3 a, V3 b) {
  return {fma(a.y, b.z, fnma(a.z, b.y, v.x)), fma(a.z, b.x, fnma(a.x, b.z, v.y)),
          fma(a.x, b.y, fnma(a.y, b.x, v.z))};
}

// Rz(q)ᵀ a
STEELYARD_INLINE V3 turn_z(V c, V s, V3 a) {
  return {fma(c, a.x, s * a.y), fnma(s, a.x, c * a.y), a.z};
}

// The motion of a frame, and products that are used many times: B = S(α) + S(ω)², b12 its row 1, column 2.
struct Motion {
  V3 w, al, a;  // ω, α, acceleration of the frame's origin minus gravity
  V xy, xz, yz, xx, yy, zz;
  V b11, b12, b13, b21, b22, b23, b31, b32, b33;

  STEELYARD_INLINE void square() {
    xy = w.x * w.y, xz = w.x * w.z, yz = w.y * w.z;
    xx = w.x * w.x, yy = w.y * w.y, zz = w.z * w.z;
    b11 = -(yy + zz), b22 = -(xx + zz), b33 = -(xx + yy);
    b12 = xy - al.z, b21 = xy + al.z;
    b13 = xz + al.y, b31 = xz - al.y;
    b23 = yz - al.x, b32 = yz + al.x;
  }
  // a + B p; bit k of the pattern: p[k] is not zero.
  STEELYARD_INLINE V3 shifted(V3 p, unsigned pattern) const {
    V3 u = a;
    if (pattern & 1u) u = {fma(b11, p.x, u.x), fma(b21, p.x, u.y), fma(b31, p.x, u.z)};
    if (pattern & 2u) u = {fma(b12, p.y, u.x), fma(b22, p.y, u.y), fma(b32, p.y, u.z)};
    if (pattern & 4u) u = {fma(b13, p.z, u.x), fma(b23, p.z, u.y), fma(b33, p.z, u.z)};
    return u;
  }
  STEELYARD_INLINE V3 shifted(const double* p, unsigned pattern) const { return shifted(all3(p), pattern); }
  STEELYARD_INLINE V3 shifted(V3 p) const {
    return {fma(b11, p.x, fma(b12, p.y, fma(b13, p.z, a.x))),
            fma(b21, p.x, fma(b22, p.y, fma(b23, p.z, a.y))),
            fma(b31, p.x, fma(b32, p.y, fma(b33, p.z, a.z)))};
  }
};

// `count` samples of all channels with copies of the last one to fill a group, since reading past the end may fault.
STEELYARD_INLINE const double* padded(const double* channel, Size stride, Size count, int channels,
                                      double* to) {
  for (int j = 0; j < channels; ++j) {
    const double* from = channel + j * stride;
    double* lanes = to + j * kWidth;
    store(lanes, all(from[count - 1]));
    for (Size s = 0; s + 1 < count; ++s) lanes[s] = from[s];
  }
  return to;
}
