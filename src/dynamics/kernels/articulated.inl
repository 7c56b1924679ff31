// Forward dynamics by articulated bodies, inverse dynamics, M; one group of lanes after another.
//
//   outwards   motion of every link with q̈ = 0, wrench that its body needs for it
//   inwards    U = I s,  D = sᵀ U + rotor,  u = τ − sᵀ p;    to the parent: I − U Uᵀ/D and p + U u/D
//   outwards   q̈ = u/D − (U/D)ᵀ Δ,  Δ the acceleration that is added to the first motion
//
// Bodies, wrenches and Δ are about the origins and in the axes of the kernels' own frames (articulated.hpp).
// Included once per instruction set inside an anonymous namespace, with STEELYARD_LANES set.

#include "core/kernels/lanes.inl"

#include "core/kernels/motion.inl"

#include "dynamics/kernels/inertia.inl"

// The samples of a group and the memory of its links.
struct Group {
  const double* q;
  const double* qd;
  const double* given;
  Size stride;
  double* out;
  Size out_stride;
  double* links;
  double* gathered;
  double* kept;

  STEELYARD_INLINE double* link(int i) const { return links + i * kLinkVectors * kWidth; }
  STEELYARD_INLINE double* slot(const Joint& joint) const {
    return gathered + joint.gathered * kGathered * kWidth;
  }
};

// Places in the memory of a link.
constexpr Size kCos = kWidth, kWrench = 2 * kWidth, kRest = 8 * kWidth;

// Force and moment, or linear and angular acceleration.
struct Six {
  V3 f, n;
};

STEELYARD_INLINE Six load_six(const double* p) {
  return {load3(p), load3(p + 3 * kWidth)};
}
STEELYARD_INLINE void store_six(double* p, const Six& x) {
  store3(p, x.f);
  store3(p + 3 * kWidth, x.n);
}

struct Frame {
  V cos, sin;
  V3 p;
};

STEELYARD_INLINE Frame frame_of(const Joint& joint, const double* link) {
  const V sin = load(link);
  if (!joint.slides) return {load(link + kCos), sin, all3(joint.shift)};
  return {
      all(joint.zero.cos),
      all(joint.zero.sin),
      {fma(all(joint.slide[0]), sin, all(joint.shift[0])), fma(all(joint.slide[1]), sin, all(joint.shift[1])),
       fma(all(joint.slide[2]), sin, all(joint.shift[2]))}};
}

// Rᵀ x
template <Tilt Kind>
STEELYARD_INLINE V3 into(const Joint& joint, const Frame& frame, V3 x) {
  if (joint.turns) x = turn_z(all(joint.turn.cos), all(joint.turn.sin), x);
  if (Kind == Tilt::quarter) x = {x.x, x.z, -x.y};
  if (Kind == Tilt::general) {
    const V c = all(joint.tilt.cos), s = all(joint.tilt.sin);
    x = {x.x, fma(c, x.y, s * x.z), fnma(s, x.y, c * x.z)};
  }
  return turn_z(frame.cos, frame.sin, x);
}

// R x
template <Tilt Kind>
STEELYARD_INLINE V3 back(const Joint& joint, const Frame& frame, V3 x) {
  turn_pair(frame.cos, frame.sin, x.x, x.y);
  if (Kind == Tilt::quarter) x = {x.x, -x.z, x.y};
  if (Kind == Tilt::general) turn_pair(all(joint.tilt.cos), all(joint.tilt.sin), x.y, x.z);
  if (joint.turns) turn_pair(all(joint.turn.cos), all(joint.turn.sin), x.x, x.y);
  return x;
}

// v + p × f without the products with zeros.
STEELYARD_INLINE V3 add_arm(V3 v, V3 p, unsigned pattern, V3 f) {
  if (pattern & 1u) v.y = fnma(p.x, f.z, v.y), v.z = fma(p.x, f.y, v.z);
  if (pattern & 2u) v.z = fnma(p.y, f.x, v.z), v.x = fma(p.y, f.z, v.x);
  if (pattern & 4u) v.x = fnma(p.z, f.y, v.x), v.y = fma(p.z, f.x, v.y);
  return v;
}

// sin and cos of all joints before anything else: their chains of operations overlap. Sliding joints keep
// their position.
STEELYARD_INLINE void prepare(const View& view, const Group& g) {
  for (int i = 0; i < view.count; ++i) {
    const Joint& joint = view.joints[i];
    double* link = g.link(i);
    V sin = load(g.q + i * g.stride);
    if (!joint.slides) {
      V s, c;
      sin_cos(sin, s, c);
      const V cz = all(joint.zero.cos), sz = all(joint.zero.sin);
      sin = fma(s, cz, c * sz);
      store(link + kCos, fnma(s, sz, c * cz));
    }
    store(link, sin);
  }
}

template <Tilt Kind>
STEELYARD_INLINE void move(const Joint& joint, const Frame& frame, V qd, V qdd, Motion& m) {
  const V3 u = m.shifted(frame.p, joint.pattern);
  const V3 w = into<Kind>(joint, frame, m.w), al = into<Kind>(joint, frame, m.al);
  m.a = into<Kind>(joint, frame, u);
  if (joint.slides) {
    const V twice = qd + qd;
    m.w = w;
    m.al = al;
    m.a = {fma(w.y, twice, m.a.x), fnma(w.x, twice, m.a.y), m.a.z + qdd};
  } else {
    m.w = {w.x, w.y, w.z + qd};
    m.al = {fma(w.y, qd, al.x), fnma(w.x, qd, al.y), al.z + qdd};
  }
  m.square();
}

// Force and moment that give the body its motion: m a + B h, J α + ω × J ω + h × a.
STEELYARD_INLINE Six wrench_of(const Body& body, const Motion& m) {
  const V mass = all(body.m);
  const V3 h = all3(body.h);
  const V xx = all(body.J[0]), xy = all(body.J[1]), xz = all(body.J[2]);
  const V yy = all(body.J[3]), yz = all(body.J[4]), zz = all(body.J[5]);
  const V3 spin = {fma(xx, m.w.x, fma(xy, m.w.y, xz * m.w.z)), fma(xy, m.w.x, fma(yy, m.w.y, yz * m.w.z)),
                   fma(xz, m.w.x, fma(yz, m.w.y, zz * m.w.z))};
  const V3 turn = {fma(xx, m.al.x, fma(xy, m.al.y, xz * m.al.z)),
                   fma(xy, m.al.x, fma(yy, m.al.y, yz * m.al.z)),
                   fma(xz, m.al.x, fma(yz, m.al.y, zz * m.al.z))};
  const V3 f = {fma(m.b11, h.x, fma(m.b12, h.y, fma(m.b13, h.z, mass * m.a.x))),
                fma(m.b21, h.x, fma(m.b22, h.y, fma(m.b23, h.z, mass * m.a.y))),
                fma(m.b31, h.x, fma(m.b32, h.y, fma(m.b33, h.z, mass * m.a.z)))};
  return {f, add_cross(add_cross(turn, m.w, spin), h, m.a)};
}

// Motions and wrenches of all links.
STEELYARD_INLINE void newton_euler(const View& view, const Group& g, const double* qdd) {
  Motion m{};
  for (int i = 0; i < view.count; ++i) {
    const Joint& joint = view.joints[i];
    double* link = g.link(i);
    if (joint.parent < 0) {
      m = Motion{};
      m.a = {all(-view.gravity[0]), all(-view.gravity[1]), all(-view.gravity[2])};
    } else if (joint.parent != i - 1) {
      const double* kept = g.kept + view.joints[joint.parent].kept * kMotion * kWidth;
      m.w = load3(kept), m.al = load3(kept + 3 * kWidth), m.a = load3(kept + 6 * kWidth);
      m.square();
    }
    const Frame frame = frame_of(joint, link);
    const V rate = load(g.qd + i * g.stride), change = qdd ? load(qdd + i * g.stride) : V{};
    if (joint.tilt_kind == Tilt::none)
      move<Tilt::none>(joint, frame, rate, change, m);
    else if (joint.tilt_kind == Tilt::quarter)
      move<Tilt::quarter>(joint, frame, rate, change, m);
    else
      move<Tilt::general>(joint, frame, rate, change, m);
    if (joint.kept >= 0) {
      double* kept = g.kept + joint.kept * kMotion * kWidth;
      store3(kept, m.w), store3(kept + 3 * kWidth, m.al), store3(kept + 6 * kWidth, m.a);
    }
    store_six(link + kWrench, wrench_of(view.bodies[i], m));
  }
  if (view.push.link < 0) return;
  double* at = g.link(view.push.link) + kWrench;
  Six wrench = load_six(at);
  const V3 f = all3(view.push.force), n = all3(view.push.moment);
  wrench.f = {wrench.f.x - f.x, wrench.f.y - f.y, wrench.f.z - f.z};
  wrench.n = {wrench.n.x - n.x, wrench.n.y - n.y, wrench.n.z - n.z};
  store_six(at, wrench);
}

template <Tilt Kind>
STEELYARD_INLINE void pass_wrench(const Joint& joint, const Frame& frame, const Six& wrench, double* to) {
  Six parent = load_six(to);
  const V3 f = back<Kind>(joint, frame, wrench.f);
  const V3 n = add_arm(back<Kind>(joint, frame, wrench.n), frame.p, joint.pattern, f);
  parent.f = {parent.f.x + f.x, parent.f.y + f.y, parent.f.z + f.z};
  parent.n = {parent.n.x + n.x, parent.n.y + n.y, parent.n.z + n.z};
  store_six(to, parent);
}

// I − U Uᵀ/D, U/D in place of the wrench, u/D; the wrench becomes p + U u/D. The row of the joint's own axis
// becomes rotor/D of what it was: zero without a rotor.
STEELYARD_INLINE void free_joint(const Joint& joint, double rotor, V effort, Inertia& I, Six& wrench,
                                 double* link, V& D) {
  Symmetric& M = I.M;
  Symmetric& J = I.J;
  General& H = I.H;
  const Six U = joint.slides ? Six{{M.xz, M.yz, M.zz}, {H.xz, H.yz, H.zz}}
                             : Six{{H.zx, H.zy, H.zz}, {J.xz, J.yz, J.zz}};
  D = (joint.slides ? M.zz : J.zz) + all(rotor);
  const V u = effort - (joint.slides ? wrench.f.z : wrench.n.z);
  const V inverse = all(1.0) / D;
  const V rest = u * inverse, share = all(rotor) * inverse;
  const V3 f = {U.f.x * inverse, U.f.y * inverse, U.f.z * inverse};
  const V3 n = {U.n.x * inverse, U.n.y * inverse, U.n.z * inverse};
  store_six(link + kWrench, {f, n});
  store(link + kRest, rest);
  wrench.f = {fma(U.f.x, rest, wrench.f.x), fma(U.f.y, rest, wrench.f.y), fma(U.f.z, rest, wrench.f.z)};
  wrench.n = {fma(U.n.x, rest, wrench.n.x), fma(U.n.y, rest, wrench.n.y), fma(U.n.z, rest, wrench.n.z)};
  M.xx = fnma(f.x, U.f.x, M.xx), M.xy = fnma(f.x, U.f.y, M.xy), M.yy = fnma(f.y, U.f.y, M.yy);
  J.xx = fnma(n.x, U.n.x, J.xx), J.xy = fnma(n.x, U.n.y, J.xy), J.yy = fnma(n.y, U.n.y, J.yy);
  H.xx = fnma(n.x, U.f.x, H.xx), H.xy = fnma(n.x, U.f.y, H.xy);
  H.yx = fnma(n.y, U.f.x, H.yx), H.yy = fnma(n.y, U.f.y, H.yy);
  if (joint.slides) {
    H.zx = fnma(n.z, U.f.x, H.zx), H.zy = fnma(n.z, U.f.y, H.zy);
    J.xz = fnma(n.x, U.n.z, J.xz), J.yz = fnma(n.y, U.n.z, J.yz), J.zz = fnma(n.z, U.n.z, J.zz);
    M.xz = M.xz * share, M.yz = M.yz * share, M.zz = M.zz * share;
    H.xz = H.xz * share, H.yz = H.yz * share, H.zz = H.zz * share;
  } else {
    H.xz = fnma(n.x, U.f.z, H.xz), H.yz = fnma(n.y, U.f.z, H.yz);
    M.xz = fnma(f.x, U.f.z, M.xz), M.yz = fnma(f.y, U.f.z, M.yz), M.zz = fnma(f.z, U.f.z, M.zz);
    J.xz = J.xz * share, J.yz = J.yz * share, J.zz = J.zz * share;
    H.zx = H.zx * share, H.zy = H.zy * share, H.zz = H.zz * share;
  }
}

// Magnitudes of what h and J about the parent's origin are sums of.
STEELYARD_INLINE void grow(const Joint& joint, const Body& body, const double* link, V& size_h, V& size_J) {
  V far = all(joint.shift_size);
  if (joint.slides) {
    const V q = load(link);
    far = far + select(q < V{}, -q, q);
  }
  const V carried = far * all(body.carried);
  size_J = fma(far, size_h + size_h + carried, size_J);
  size_h = size_h + carried;
}

template <Tilt Kind>
STEELYARD_INLINE void pass_back(const View& view, const Joint& joint, const Body& body, const double* link,
                                const Frame& frame, const Six& wrench, Inertia& I, const Group& g) {
  carry_back<Kind>(joint, frame.cos, frame.sin, frame.p, I);
  grow(joint, body, link, I.size_h, I.size_J);
  double* slot = g.slot(view.joints[joint.parent]);
  if (!joint.opens) add(I, load_inertia(slot));
  store_inertia(slot, I);
  pass_wrench<Kind>(joint, frame, wrench, g.link(joint.parent) + kWrench);
}

// The lanes where D is no more than rounding: the first joint of them from the leaves on.
STEELYARD_INLINE void check(V D, V size, int i, V& failed) {
  const Bits fine = D > size;
  failed = select((failed < V{}) & ~fine, all(static_cast<double>(i)), failed);
}

STEELYARD_INLINE V articulate(const View& view, const Group& g) {
  constexpr double kEpsilon = 0x1p-52;
  const double rounding = 4 * kEpsilon * view.count;
  V failed = all(-1.0);
  for (int i = view.count - 1; i >= 0; --i) {
    const Joint& joint = view.joints[i];
    const Body& body = view.bodies[i];
    double* link = g.link(i);
    Inertia I = inertia_of(body);
    if (!joint.is_leaf) {
      const Inertia behind = load_inertia(g.slot(joint));
      add(I, behind);
    }
    Six wrench = load_six(link + kWrench);
    const Frame frame = frame_of(joint, link);
    V D;
    free_joint(joint, body.rotor, load(g.given + i * g.stride), I, wrench, link, D);
    const V size = joint.slides ? all(body.carried) : I.size_J;
    check(D, all(rounding) * (size + all(body.rotor)), i, failed);
    if (joint.parent < 0) continue;
    if (joint.tilt_kind == Tilt::none)
      pass_back<Tilt::none>(view, joint, body, link, frame, wrench, I, g);
    else if (joint.tilt_kind == Tilt::quarter)
      pass_back<Tilt::quarter>(view, joint, body, link, frame, wrench, I, g);
    else
      pass_back<Tilt::general>(view, joint, body, link, frame, wrench, I, g);
  }
  return failed;
}

template <Tilt Kind>
STEELYARD_INLINE void carry_change(const Joint& joint, const Frame& frame, Six& change) {
  const V3 against = {-frame.p.x, -frame.p.y, -frame.p.z};
  const V3 linear = add_arm(change.f, against, joint.pattern, change.n);
  change.f = into<Kind>(joint, frame, linear);
  change.n = into<Kind>(joint, frame, change.n);
}

STEELYARD_INLINE void accelerate(const View& view, const Group& g) {
  Six change{};
  for (int i = 0; i < view.count; ++i) {
    const Joint& joint = view.joints[i];
    const double* link = g.link(i);
    const Frame frame = frame_of(joint, link);
    if (joint.parent < 0) {
      change = Six{};
    } else {
      if (joint.parent != i - 1)
        change = load_six(g.kept + view.joints[joint.parent].kept * kMotion * kWidth);
      if (joint.tilt_kind == Tilt::none)
        carry_change<Tilt::none>(joint, frame, change);
      else if (joint.tilt_kind == Tilt::quarter)
        carry_change<Tilt::quarter>(joint, frame, change);
      else
        carry_change<Tilt::general>(joint, frame, change);
    }
    const Six share = load_six(link + kWrench);
    V qdd = load(link + kRest);
    qdd = fnma(share.f.x, change.f.x, fnma(share.f.y, change.f.y, fnma(share.f.z, change.f.z, qdd)));
    qdd = fnma(share.n.x, change.n.x, fnma(share.n.y, change.n.y, fnma(share.n.z, change.n.z, qdd)));
    store(g.out + i * g.out_stride, qdd);
    if (joint.slides)
      change.f.z = change.f.z + qdd;
    else
      change.n.z = change.n.z + qdd;
    if (joint.kept >= 0) store_six(g.kept + joint.kept * kMotion * kWidth, change);
  }
}

STEELYARD_INLINE Group group_at(const View& view, const Call& call, Size start) {
  Group g;
  g.links = call.workspace;
  g.gathered = g.links + kLinkVectors * view.count * kWidth;
  g.kept = g.gathered + kGathered * view.gathered_slots * kWidth;
  if (start + kWidth <= call.count) {
    g.q = call.q + start;
    g.qd = call.qd + start;
    g.given = call.given + start;
    g.stride = call.stride;
    g.out = call.out + start;
    g.out_stride = call.out_stride;
    return g;
  }
  // Results of a padded group take the place of what is given, link by link, which is read before.
  double* pad = g.kept + kMotion * view.kept_slots * kWidth;
  const Size rest = call.count - start, size = view.count * kWidth;
  g.q = padded(call.q + start, call.stride, rest, view.count, pad);
  g.qd = padded(call.qd + start, call.stride, rest, view.count, pad + size);
  g.given = padded(call.given + start, call.stride, rest, view.count, pad + 2 * size);
  g.out = pad + 2 * size;
  g.stride = g.out_stride = kWidth;
  return g;
}

// Those results of a padded group that are of samples.
STEELYARD_INLINE void copy_out(const View& view, const Call& call, Size start, const Group& g) {
  if (start + kWidth <= call.count) return;
  for (int i = 0; i < view.count; ++i)
    for (Size s = start; s < call.count; ++s)
      call.out[i * call.out_stride + s] = g.out[i * kWidth + s - start];
}

void forward(const View& view, const Call& call) {
  for (Size start = 0; start < call.count; start += kWidth) {
    const Group g = group_at(view, call, start);
    prepare(view, g);
    newton_euler(view, g, nullptr);
    double failed[kWidth];
    store(failed, articulate(view, g));
    for (Size s = 0; s < kWidth && start + s < call.count; ++s) call.failed[start + s] = failed[s];
    accelerate(view, g);
    copy_out(view, call, start, g);
  }
}

// Efforts, with the wrench of every link in the place of that of its body.
STEELYARD_INLINE void gather_efforts(const View& view, const Group& g) {
  for (int i = view.count - 1; i >= 0; --i) {
    const Joint& joint = view.joints[i];
    const double* link = g.link(i);
    const Six wrench = load_six(link + kWrench);
    const V own = joint.slides ? wrench.f.z : wrench.n.z;
    store(g.out + i * g.out_stride, fma(all(view.bodies[i].rotor), load(g.given + i * g.stride), own));
    if (joint.parent < 0) continue;
    const Frame frame = frame_of(joint, link);
    double* to = g.link(joint.parent) + kWrench;
    if (joint.tilt_kind == Tilt::none)
      pass_wrench<Tilt::none>(joint, frame, wrench, to);
    else if (joint.tilt_kind == Tilt::quarter)
      pass_wrench<Tilt::quarter>(joint, frame, wrench, to);
    else
      pass_wrench<Tilt::general>(joint, frame, wrench, to);
  }
}

void inverse(const View& view, const Call& call) {
  for (Size start = 0; start < call.count; start += kWidth) {
    const Group g = group_at(view, call, start);
    prepare(view, g);
    newton_euler(view, g, g.given);
    gather_efforts(view, g);
    copy_out(view, call, start, g);
    if (!call.wrenches) continue;
    for (int i = 0; i < view.count; ++i)
      for (Size k = 0; k < 6; ++k) call.wrenches[6 * i + k] = g.link(i)[kWrench + k * kWidth];
  }
}

#include "dynamics/kernels/composite.inl"

constexpr Table kTable = {STEELYARD_LANES, forward, inverse, mass};
