// Motion state and twists, carried from a parent's frame to its child's.
//
//   a ← Rᵀ (a + B p),  ω, α ← Rᵀ ω, Rᵀ α + joint motion,  B = S(α) + S(ω)²
//   v ← Rᵀ (v + z × p),  z ← Rᵀ z   for the twists (z, v) of all joints on the path

// matrixᵀ a
STEELYARD_INLINE V3 turn_by(const double* m, V3 a) {
  return {fma(all(m[0]), a.x, fma(all(m[3]), a.y, all(m[6]) * a.z)),
          fma(all(m[1]), a.x, fma(all(m[4]), a.y, all(m[7]) * a.z)),
          fma(all(m[2]), a.x, fma(all(m[5]), a.y, all(m[8]) * a.z))};
}

// turnᵀ x for a turn known at compile time.
template <TurnKind Kind>
STEELYARD_INLINE V3 turned(V3 a) {
  if (Kind == TurnKind::quarter_x) return {a.x, a.z, -a.y};
  if (Kind == TurnKind::quarter_back_x) return {a.x, -a.z, a.y};
  return a;
}

STEELYARD_INLINE V3 load_turned(const Turn& turn, const double* p) {
  if (turn.kind == TurnKind::general) return turn_by(turn.matrix, load3(p));
  return {flip(load(p + turn.index[0] * kWidth), all(turn.sign[0])),
          flip(load(p + turn.index[1] * kWidth), all(turn.sign[1])),
          flip(load(p + turn.index[2] * kWidth), all(turn.sign[2]))};
}

STEELYARD_INLINE void store_turned(const Turn& turn, double* p, V3 a) {
  if (turn.kind == TurnKind::identity) return store3(p, a);
  if (turn.kind == TurnKind::general) return store3(p, turn_by(turn.matrix, a));
  store(p + turn.place[0] * kWidth, flip(a.x, all(turn.place_sign[0])));
  store(p + turn.place[1] * kWidth, flip(a.y, all(turn.place_sign[1])));
  store(p + turn.place[2] * kWidth, flip(a.z, all(turn.place_sign[2])));
}

// v + z × p for a constant p, most of whose components are zero; bit k of the pattern: p[k] is not.
STEELYARD_INLINE V3 add_cross_sparse(V3 v, V3 z, const double* p, unsigned pattern) {
  if (pattern & 1u) v.y = fma(z.z, all(p[0]), v.y), v.z = fnma(z.y, all(p[0]), v.z);
  if (pattern & 2u) v.z = fma(z.x, all(p[1]), v.z), v.x = fnma(z.z, all(p[1]), v.x);
  if (pattern & 4u) v.x = fma(z.y, all(p[2]), v.x), v.y = fnma(z.x, all(p[2]), v.y);
  return v;
}

// The joint's pose for the samples of the group.
struct Pose {
  V sin, cos;
  V3 shift_out;   // in the axes before `out`
  V3 shift_link;  // in link axes
};

// sin and cos of all links before anything else: their long chains of operations overlap one another.
// Prismatic joints keep their position instead.
STEELYARD_INLINE void prepare_poses(const View& view, const double* q, Size stride, double* poses) {
  for (int J = 0; J < view.link_count; ++J, poses += 2 * kWidth) {
    const Link& link = view.links[J];
    V sin = load(q + link.channel * stride), cos{};
    if (!link.prismatic) sin_cos(sin, sin, cos);
    store(poses, sin);
    store(poses + kWidth, cos);
  }
}

STEELYARD_INLINE Pose pose_of(const Link& link, const double* prepared) {
  Pose pose;
  pose.sin = load(prepared);
  pose.cos = load(prepared + kWidth);
  pose.shift_out = all3(link.shift_out);
  pose.shift_link = all3(link.shift_link);
  if (link.prismatic) {
    const V3 p = pose.shift_link, v = all3(link.v);
    pose.shift_link = {fma(v.x, pose.sin, p.x), fma(v.y, pose.sin, p.y), fma(v.z, pose.sin, p.z)};
    pose.shift_out = pose.shift_link;
  }
  return pose;
}

STEELYARD_INLINE void carry_any(const Link& link, const Pose& pose, const double* from, double* to) {
  for (int k = 0; k + 1 < link.depth; ++k, from += kTwist * kWidth, to += kTwist * kWidth) {
    V3 z = load_turned(link.in, from);
    V3 v = add_cross_sparse(load_turned(link.in, from + 3 * kWidth), z, link.shift_in, link.shift_pattern);
    if (!link.prismatic) {
      z = turn_z(pose.cos, pose.sin, z);
      v = turn_z(pose.cos, pose.sin, v);
    }
    if (link.shifts_out) v = add_cross(v, z, pose.shift_out);
    store_turned(link.out, to, z);
    store_turned(link.out, to + 3 * kWidth, v);
  }
}

template <TurnKind Kind, unsigned Pattern>
STEELYARD_INLINE void carry_simple(const Link& link, V sin, V cos, const double* from, double* to) {
  const int stored = link.after_own_z ? link.depth - 2 : link.depth - 1;
  for (int k = 0; k < stored; ++k, from += kTwist * kWidth, to += kTwist * kWidth) {
    const V3 z = turned<Kind>(load3(from));
    const V3 v = add_cross_sparse(turned<Kind>(load3(from + 3 * kWidth)), z, link.shift_in, Pattern);
    store3(to, turn_z(cos, sin, z));
    store3(to + 3 * kWidth, turn_z(cos, sin, v));
  }
  if (!link.after_own_z) return;
  V3 z = {V{}, V{}, all(1.0)};
  if (Kind == TurnKind::quarter_x) z = {sin, cos, V{}};
  if (Kind == TurnKind::quarter_back_x) z = {-sin, -cos, V{}};
  store3(to, z);
  store3(to + 3 * kWidth, turn_z(cos, sin, all3(link.parent_v)));
}

template <TurnKind Kind>
STEELYARD_INLINE void carry_simple(const Link& link, V sin, V cos, const double* from, double* to) {
  switch (link.shift_pattern) {
    case 0:
      return carry_simple<Kind, 0>(link, sin, cos, from, to);
    case 1:
      return carry_simple<Kind, 1>(link, sin, cos, from, to);
    case 2:
      return carry_simple<Kind, 2>(link, sin, cos, from, to);
    case 3:
      return carry_simple<Kind, 3>(link, sin, cos, from, to);
    case 4:
      return carry_simple<Kind, 4>(link, sin, cos, from, to);
    case 5:
      return carry_simple<Kind, 5>(link, sin, cos, from, to);
    case 6:
      return carry_simple<Kind, 6>(link, sin, cos, from, to);
    default:
      return carry_simple<Kind, 7>(link, sin, cos, from, to);
  }
}

STEELYARD_INLINE void carry_path(const Link& link, const double* prepared, double* twists) {
  const V sin = load(prepared), cos = load(prepared + kWidth);
  const double* from = twists + link.source * kWidth;
  double* to = twists + link.target * kWidth;
  if (!link.simple)
    carry_any(link, pose_of(link, prepared), from, to);
  else if (link.in.kind == TurnKind::identity)
    carry_simple<TurnKind::identity>(link, sin, cos, from, to);
  else if (link.in.kind == TurnKind::quarter_x)
    carry_simple<TurnKind::quarter_x>(link, sin, cos, from, to);
  else
    carry_simple<TurnKind::quarter_back_x>(link, sin, cos, from, to);
  if (!link.stores_twist) return;
  to += (link.depth - 1) * kTwist * kWidth;
  store3(to, all3(link.z));
  store3(to + 3 * kWidth, all3(link.v));
}

// A vector of the parent's axes in link axes.
STEELYARD_INLINE V3 turn_into(const Link& link, const Pose& pose, V3 a, double* scratch) {
  if (link.simple) {
    const V3 b = link.in.kind == TurnKind::identity    ? a
                 : link.in.kind == TurnKind::quarter_x ? turned<TurnKind::quarter_x>(a)
                                                       : turned<TurnKind::quarter_back_x>(a);
    return turn_z(pose.cos, pose.sin, b);
  }
  store3(scratch, a);
  V3 b = load_turned(link.in, scratch);
  if (!link.prismatic) b = turn_z(pose.cos, pose.sin, b);
  if (link.out.kind == TurnKind::identity) return b;
  store_turned(link.out, scratch, b);
  return load3(scratch);
}

STEELYARD_INLINE void move_any(const Link& link, const Pose& pose, V qd, V qdd, Motion& m, double* scratch) {
  const V3 u = m.shifted(link.shift_parent, link.parent_pattern);
  const V3 w = turn_into(link, pose, m.w, scratch);
  const V3 al = turn_into(link, pose, m.al, scratch + 3 * kWidth);
  m.a = turn_into(link, pose, u, scratch + 6 * kWidth);
  if (link.prismatic) {
    const V3 v = all3(link.v);
    const V twice = qd + qd;
    const V3 slide = {v.x * twice, v.y * twice, v.z * twice};
    m.w = w;
    m.al = al;
    m.square();
    m.a = add_cross(m.shifted(pose.shift_link), w, slide);
    m.a = {fma(v.x, qdd, m.a.x), fma(v.y, qdd, m.a.y), fma(v.z, qdd, m.a.z)};
    return;
  }
  if (link.own_z) {
    m.w = {w.x, w.y, w.z + qd};
    m.al = {fma(w.y, qd, al.x), fnma(w.x, qd, al.y), al.z + qdd};
  } else {
    const V3 z = all3(link.z);
    const V3 turn = {z.x * qd, z.y * qd, z.z * qd};
    m.w = {w.x + turn.x, w.y + turn.y, w.z + turn.z};
    m.al = add_cross({fma(z.x, qdd, al.x), fma(z.y, qdd, al.y), fma(z.z, qdd, al.z)}, w, turn);
  }
  m.square();
  if (link.shifts_out) m.a = m.shifted(pose.shift_link);
}

template <TurnKind Kind>
STEELYARD_INLINE void move_simple(const Link& link, const double* prepared, V qd, V qdd, Motion& m) {
  const V sin = load(prepared), cos = load(prepared + kWidth);
  if (link.parent < 0) {  // the base does not turn
    m.a = turn_z(cos, sin, turned<Kind>(m.a));
    m.w = {V{}, V{}, qd};
    m.al = {V{}, V{}, qdd};
    m.square();
    return;
  }
  const V3 u = m.shifted(link.shift_parent, link.parent_pattern);
  const V3 w = turn_z(cos, sin, turned<Kind>(m.w));
  const V3 al = turn_z(cos, sin, turned<Kind>(m.al));
  m.a = turn_z(cos, sin, turned<Kind>(u));
  m.w = {w.x, w.y, w.z + qd};
  m.al = {fma(w.y, qd, al.x), fnma(w.x, qd, al.y), al.z + qdd};
  m.square();
}

STEELYARD_INLINE void move(const Link& link, const double* prepared, V qd, V qdd, Motion& m,
                           double* scratch) {
  if (!link.simple)
    move_any(link, pose_of(link, prepared), qd, qdd, m, scratch);
  else if (link.in.kind == TurnKind::identity)
    move_simple<TurnKind::identity>(link, prepared, qd, qdd, m);
  else if (link.in.kind == TurnKind::quarter_x)
    move_simple<TurnKind::quarter_x>(link, prepared, qd, qdd, m);
  else
    move_simple<TurnKind::quarter_back_x>(link, prepared, qd, qdd, m);
}
