// Columns of one link on one row, and where they are stored.
//
// Row of joint i with twist (z, v) in the link's frame:
//   m: v·a      (mx, my, mz): Bᵀ v + a × z      J: z·(J α + ω × J ω)
// Inertia entry of joints i and j: ∫ (v_i + z_i × r)·(v_j + z_j × r) dm
//   m: v_i·v_j  (mx, my, mz): v_i × z_j + v_j × z_i      J: z_iᵀ J z_j

struct Columns {
  V m, mx, my, mz, Jxx, Jxy, Jxz, Jyy, Jyz, Jzz;
};

STEELYARD_INLINE Columns torque_columns(const Motion& m, V dxy, V dyz, V dzx, V3 z, V3 v) {
  Columns y;
  y.m = fma(v.x, m.a.x, fma(v.y, m.a.y, v.z * m.a.z));
  y.mx = fma(v.x, m.b11, fma(v.y, m.b21, fma(v.z, m.b31, fnma(m.a.z, z.y, m.a.y * z.z))));
  y.my = fma(v.x, m.b12, fma(v.y, m.b22, fma(v.z, m.b32, fnma(m.a.x, z.z, m.a.z * z.x))));
  y.mz = fma(v.x, m.b13, fma(v.y, m.b23, fma(v.z, m.b33, fnma(m.a.y, z.x, m.a.x * z.y))));
  const V tx = z.x * m.yz, ty = z.y * m.xz, tz = z.z * m.xy;
  y.Jxx = fma(z.x, m.al.x, ty - tz);
  y.Jyy = fma(z.y, m.al.y, tz - tx);
  y.Jzz = fma(z.z, m.al.z, tx - ty);
  y.Jxy = fnma(z.x, m.b31, fma(z.y, m.b32, z.z * dxy));
  y.Jxz = fma(z.x, m.b21, fnma(z.z, m.b23, z.y * dzx));
  y.Jyz = fma(z.z, m.b13, fnma(z.y, m.b12, z.x * dyz));
  return y;
}

// The same for z = (0, 0, 1), v = 0.
STEELYARD_INLINE Columns own_columns(const Motion& m, V dxy) {
  return {V{}, m.a.y, -m.a.x, V{}, -m.xy, dxy, -m.b23, m.xy, m.b13, m.al.z};
}

// The same for the parent's joint, when both axes are their frames' z: z is (0, 0, 1) for parallel axes,
// otherwise z.z = 0, and v has the components that the shift gives it.
template <bool Parallel, bool Across, bool Along>
STEELYARD_INLINE Columns parent_columns(const Motion& m, V dxy, V dyz, V dzx, V3 z, V3 v) {
  Columns y = own_columns(m, dxy);
  if (!Parallel) {
    const V tx = z.x * m.yz, ty = z.y * m.xz;
    y.mx = fnma(m.a.z, z.y, Along ? v.z * m.b31 : V{});
    y.my = Along ? fma(v.z, m.b32, m.a.z * z.x) : m.a.z * z.x;
    y.mz = fnma(m.a.y, z.x, m.a.x * z.y);
    if (Along) y.mz = fma(v.z, m.b33, y.mz);
    y.Jxx = fma(z.x, m.al.x, ty);
    y.Jyy = fma(z.y, m.al.y, -tx);
    y.Jzz = tx - ty;
    y.Jxy = fnma(z.x, m.b31, z.y * m.b32);
    y.Jxz = fma(z.x, m.b21, z.y * dzx);
    y.Jyz = fnma(z.y, m.b12, z.x * dyz);
  }
  if (Along) y.m = v.z * m.a.z;
  if (Across) {
    y.m = Along ? fma(v.x, m.a.x, fma(v.y, m.a.y, y.m)) : fma(v.x, m.a.x, v.y * m.a.y);
    y.mx = fma(v.x, m.b11, fma(v.y, m.b21, y.mx));
    y.my = fma(v.x, m.b12, fma(v.y, m.b22, y.my));
    y.mz = Parallel ? fma(v.x, m.b13, v.y * m.b23) : fma(v.x, m.b13, fma(v.y, m.b23, y.mz));
  }
  return y;
}

STEELYARD_INLINE Columns inertia_columns(V3 zi, V3 vi, V3 zj, V3 vj) {
  const V3 first = add_cross(add_cross({V{}, V{}, V{}}, vi, zj), vj, zi);
  Columns y;
  y.m = fma(vi.x, vj.x, fma(vi.y, vj.y, vi.z * vj.z));
  y.mx = first.x, y.my = first.y, y.mz = first.z;
  y.Jxx = zi.x * zj.x, y.Jyy = zi.y * zj.y, y.Jzz = zi.z * zj.z;
  y.Jxy = fma(zi.x, zj.y, zi.y * zj.x);
  y.Jxz = fma(zi.x, zj.z, zi.z * zj.x);
  y.Jyz = fma(zi.y, zj.z, zi.z * zj.y);
  return y;
}

// Columns that are stored, without gaps.
STEELYARD_INLINE void put(double* p, Size stride, unsigned wanted, const Columns& y) {
  const V list[10] = {y.m, y.mx, y.my, y.mz, y.Jxx, y.Jxy, y.Jxz, y.Jyy, y.Jyz, y.Jzz};
#pragma GCC unroll 10
  for (int k = 0; k < 10; ++k) {
    if ((wanted >> k) & 1u) {
      store(p, list[k]);
      p += stride;
    }
  }
}

// Wanted ≠ 0: a set of columns known to the compiler, which then leaves out what it takes to find the others.
template <unsigned Wanted>
STEELYARD_INLINE void put_columns(double* p, Size stride, unsigned wanted, const Columns& y) {
  put(p, stride, Wanted != 0 ? Wanted : wanted, y);
}
