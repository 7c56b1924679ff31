// Inertias that are no longer those of a body, moved from a link's frame to its parent's.
//
//   force = M a + Hᵀ α,   moment = H a + J α

struct Symmetric {
  V xx, xy, xz, yy, yz, zz;
};

// Rows of moments, columns of accelerations.
struct General {
  V xx, xy, xz, yx, yy, yz, zx, zy, zz;
};

struct Inertia {
  Symmetric M;
  General H;
  Symmetric J;
  V size_h, size_J;  // magnitudes of what is summed
};

STEELYARD_INLINE Symmetric load_symmetric(const double* p) {
  return {load(p),
          load(p + kWidth),
          load(p + 2 * kWidth),
          load(p + 3 * kWidth),
          load(p + 4 * kWidth),
          load(p + 5 * kWidth)};
}
STEELYARD_INLINE void store_symmetric(double* p, const Symmetric& A) {
  store3(p, {A.xx, A.xy, A.xz});
  store3(p + 3 * kWidth, {A.yy, A.yz, A.zz});
}
STEELYARD_INLINE void add(Symmetric& A, const Symmetric& B) {
  A.xx = A.xx + B.xx, A.xy = A.xy + B.xy, A.xz = A.xz + B.xz;
  A.yy = A.yy + B.yy, A.yz = A.yz + B.yz, A.zz = A.zz + B.zz;
}

STEELYARD_INLINE Inertia load_inertia(const double* p) {
  Inertia I;
  I.M = load_symmetric(p);
  const V3 x = load3(p + 6 * kWidth), y = load3(p + 9 * kWidth), z = load3(p + 12 * kWidth);
  I.H = {x.x, x.y, x.z, y.x, y.y, y.z, z.x, z.y, z.z};
  I.J = load_symmetric(p + 15 * kWidth);
  I.size_h = load(p + 21 * kWidth);
  I.size_J = load(p + 22 * kWidth);
  return I;
}
STEELYARD_INLINE void store_inertia(double* p, const Inertia& I) {
  store_symmetric(p, I.M);
  store3(p + 6 * kWidth, {I.H.xx, I.H.xy, I.H.xz});
  store3(p + 9 * kWidth, {I.H.yx, I.H.yy, I.H.yz});
  store3(p + 12 * kWidth, {I.H.zx, I.H.zy, I.H.zz});
  store_symmetric(p + 15 * kWidth, I.J);
  store(p + 21 * kWidth, I.size_h);
  store(p + 22 * kWidth, I.size_J);
}
STEELYARD_INLINE void add(Inertia& A, const Inertia& B) {
  add(A.M, B.M);
  add(A.J, B.J);
  A.H.xx = A.H.xx + B.H.xx, A.H.xy = A.H.xy + B.H.xy, A.H.xz = A.H.xz + B.H.xz;
  A.H.yx = A.H.yx + B.H.yx, A.H.yy = A.H.yy + B.H.yy, A.H.yz = A.H.yz + B.H.yz;
  A.H.zx = A.H.zx + B.H.zx, A.H.zy = A.H.zy + B.H.zy, A.H.zz = A.H.zz + B.H.zz;
  A.size_h = A.size_h + B.size_h;
  A.size_J = A.size_J + B.size_J;
}

// H = S(h): a body's own.
STEELYARD_INLINE Inertia inertia_of(const Body& body) {
  const V m = all(body.m), none{};
  const V hx = all(body.h[0]), hy = all(body.h[1]), hz = all(body.h[2]);
  return {{m, none, none, m, none, m},
          {none, -hz, hy, hz, none, -hx, -hy, hx, none},
          {all(body.J[0]), all(body.J[1]), all(body.J[2]), all(body.J[3]), all(body.J[4]), all(body.J[5])},
          all(body.size_h),
          all(body.size_J)};
}

// Rz A Rzᵀ
STEELYARD_INLINE void turn_back_z(V c, V s, Symmetric& A) {
  const V t1 = fnma(s, A.xy, c * A.xx), t2 = fnma(s, A.yy, c * A.xy);
  const V t3 = fma(s, A.xx, c * A.xy), t4 = fma(s, A.xy, c * A.yy);
  A.xx = fnma(s, t2, c * t1);
  A.xy = fma(s, t1, c * t2);
  A.yy = fma(s, t3, c * t4);
  const V xz = A.xz, yz = A.yz;
  A.xz = fnma(s, yz, c * xz);
  A.yz = fma(s, xz, c * yz);
}

// (x, y) ← (c x − s y, s x + c y)
STEELYARD_INLINE void turn_pair(V c, V s, V& x, V& y) {
  const V before = x;
  x = fnma(s, y, c * before);
  y = fma(s, before, c * y);
}

STEELYARD_INLINE void turn_back_z(V c, V s, General& H) {
  turn_pair(c, s, H.xx, H.yx), turn_pair(c, s, H.xy, H.yy), turn_pair(c, s, H.xz, H.yz);
  turn_pair(c, s, H.xx, H.xy), turn_pair(c, s, H.yx, H.yy), turn_pair(c, s, H.zx, H.zy);
}

STEELYARD_INLINE void turn_back_x(V c, V s, General& H) {
  turn_pair(c, s, H.yx, H.zx), turn_pair(c, s, H.yy, H.zy), turn_pair(c, s, H.yz, H.zz);
  turn_pair(c, s, H.xy, H.xz), turn_pair(c, s, H.yy, H.yz), turn_pair(c, s, H.zy, H.zz);
}

// Rx A Rxᵀ: the same with axes renamed.
STEELYARD_INLINE void turn_back_x(V c, V s, Symmetric& A) {
  Symmetric named = {A.yy, A.yz, A.xy, A.zz, A.xz, A.xx};
  turn_back_z(c, s, named);
  A = {named.zz, named.xz, named.yz, named.xx, named.xy, named.yy};
}

// A quarter turn about x: y ← −z, z ← y.
STEELYARD_INLINE void quarter_back_x(Inertia& I) {
  I.M = {I.M.xx, -I.M.xz, I.M.xy, I.M.zz, -I.M.yz, I.M.yy};
  I.J = {I.J.xx, -I.J.xz, I.J.xy, I.J.zz, -I.J.yz, I.J.yy};
  const General H = I.H;
  I.H = {H.xx, -H.xz, H.xy, -H.zx, H.zz, -H.zy, H.yx, -H.yz, H.yy};
}

// The same inertia about a point that lies at −p: H ← H + S(p) M, J ← J − H S(p) + S(p) H′ᵀ.
STEELYARD_INLINE void shift_x(V p, Inertia& I) {
  const General H = I.H;
  I.H.yx = fnma(p, I.M.xz, H.yx), I.H.yy = fnma(p, I.M.yz, H.yy), I.H.yz = fnma(p, I.M.zz, H.yz);
  I.H.zx = fma(p, I.M.xy, H.zx), I.H.zy = fma(p, I.M.yy, H.zy), I.H.zz = fma(p, I.M.yz, H.zz);
  I.J.xy = fnma(p, H.xz, I.J.xy);
  I.J.xz = fma(p, H.xy, I.J.xz);
  I.J.yy = fnma(p, H.yz + I.H.yz, I.J.yy);
  I.J.yz = fma(p, H.yy - I.H.zz, I.J.yz);
  I.J.zz = fma(p, H.zy + I.H.zy, I.J.zz);
}
STEELYARD_INLINE void shift_y(V p, Inertia& I) {
  const General H = I.H;
  I.H.zx = fnma(p, I.M.xx, H.zx), I.H.zy = fnma(p, I.M.xy, H.zy), I.H.zz = fnma(p, I.M.xz, H.zz);
  I.H.xx = fma(p, I.M.xz, H.xx), I.H.xy = fma(p, I.M.yz, H.xy), I.H.xz = fma(p, I.M.zz, H.xz);
  I.J.yz = fnma(p, H.yx, I.J.yz);
  I.J.xy = fma(p, H.yz, I.J.xy);
  I.J.zz = fnma(p, H.zx + I.H.zx, I.J.zz);
  I.J.xz = fma(p, H.zz - I.H.xx, I.J.xz);
  I.J.xx = fma(p, H.xz + I.H.xz, I.J.xx);
}
STEELYARD_INLINE void shift_z(V p, Inertia& I) {
  const General H = I.H;
  I.H.xx = fnma(p, I.M.xy, H.xx), I.H.xy = fnma(p, I.M.yy, H.xy), I.H.xz = fnma(p, I.M.yz, H.xz);
  I.H.yx = fma(p, I.M.xx, H.yx), I.H.yy = fma(p, I.M.xy, H.yy), I.H.yz = fma(p, I.M.xz, H.yz);
  I.J.xz = fnma(p, H.zy, I.J.xz);
  I.J.yz = fma(p, H.zx, I.J.yz);
  I.J.xx = fnma(p, H.xy + I.H.xy, I.J.xx);
  I.J.xy = fma(p, H.xx - I.H.yy, I.J.xy);
  I.J.yy = fma(p, H.yx + I.H.yx, I.J.yy);
}

template <Tilt Kind>
STEELYARD_INLINE void carry_back(const Joint& joint, V c, V s, V3 p, Inertia& I) {
  turn_back_z(c, s, I.M), turn_back_z(c, s, I.H), turn_back_z(c, s, I.J);
  if (Kind == Tilt::quarter) quarter_back_x(I);
  if (Kind == Tilt::general) {
    const V ct = all(joint.tilt.cos), st = all(joint.tilt.sin);
    turn_back_x(ct, st, I.M), turn_back_x(ct, st, I.H), turn_back_x(ct, st, I.J);
  }
  if (joint.turns) {
    const V ct = all(joint.turn.cos), st = all(joint.turn.sin);
    turn_back_z(ct, st, I.M), turn_back_z(ct, st, I.H), turn_back_z(ct, st, I.J);
  }
  if (joint.pattern & 1u) shift_x(p.x, I);
  if (joint.pattern & 2u) shift_y(p.y, I);
  if (joint.pattern & 4u) shift_z(p.z, I);
}
