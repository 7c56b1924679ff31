// The kernels: one group of lanes after another, link after link, rows of the joints on its path.
//
// Included once per instruction set inside an anonymous namespace, with STEELYARD_LANES set.

#include "core/kernels/lanes.inl"

#include "core/kernels/motion.inl"

#include "regressor/kernels/carry.inl"

#include "regressor/kernels/columns.inl"

// The samples of a group; the last one is padded with copies in the workspace, since reading past the end may
// fault.
struct Group {
  const double* q;
  const double* qd;
  const double* qdd;
  Size stride;
  double* tile;
  double* twists;
  double* states;
  double* scratch;
  double* poses;  // sin and cos of every link
};

STEELYARD_INLINE Group group_at(const View& view, const Call& call, Size start) {
  Group g;
  g.tile = call.tile + start;
  g.twists = call.workspace;
  g.states = g.twists + view.twist_vectors * kWidth;
  g.scratch = g.states + view.state_vectors * kWidth;
  g.poses = g.scratch + kScratch * kWidth;
  if (start + kWidth <= call.count) {
    g.q = call.q + start;
    g.qd = call.qd ? call.qd + start : nullptr;
    g.qdd = call.qdd ? call.qdd + start : nullptr;
    g.stride = call.stride;
    return g;
  }
  double* pad = g.poses + 4 * view.link_count * kWidth;
  const Size rest = call.count - start;
  const auto fill = [&](const double* channel, int place) {
    return channel ? padded(channel + start, call.stride, rest, view.channels,
                            pad + place * view.channels * kWidth)
                   : nullptr;
  };
  g.q = fill(call.q, 0);
  g.qd = fill(call.qd, 1);
  g.qdd = fill(call.qdd, 2);
  g.stride = kWidth;
  return g;
}

STEELYARD_INLINE void base_motion(const View& view, Motion& m) {
  m = Motion{};
  m.a = {all(-view.gravity[0]), all(-view.gravity[1]), all(-view.gravity[2])};
}

// The motion of the parent: still at hand when the parent was the link before, else from the saved states.
STEELYARD_INLINE void recall(const View& view, const Link& link, int index, const double* states, Motion& m) {
  if (link.parent == index - 1) return;
  if (link.parent < 0) return base_motion(view, m);
  const double* saved = states + view.links[link.parent].state * kWidth;
  m.w = load3(saved);
  m.al = load3(saved + 3 * kWidth);
  m.a = load3(saved + 6 * kWidth);
  m.square();
}

STEELYARD_INLINE void save(const Link& link, double* states, const Motion& m) {
  double* saved = states + link.state * kWidth;
  store3(saved, m.w);
  store3(saved + 3 * kWidth, m.al);
  store3(saved + 6 * kWidth, m.a);
}

// The parent's row of a link that comes after_own_z. Each case stores for itself: joined before the stores,
// ten vectors would go through memory.
template <unsigned Wanted>
STEELYARD_INLINE void put_parent(const Link& link, const Motion& m, V dxy, V dyz, V dzx, V3 z, V3 v,
                                 double* to, Size stride) {
  const unsigned wanted = link.columns;
  switch (link.beside) {
    case Beside::parallel:
      return put_columns<Wanted>(to, stride, wanted,
                                 parent_columns<true, true, false>(m, dxy, dyz, dzx, z, v));
    case Beside::crossing:
      return put_columns<Wanted>(to, stride, wanted,
                                 parent_columns<false, false, false>(m, dxy, dyz, dzx, z, v));
    case Beside::crossing_along:
      return put_columns<Wanted>(to, stride, wanted,
                                 parent_columns<false, false, true>(m, dxy, dyz, dzx, z, v));
    case Beside::crossing_across:
      return put_columns<Wanted>(to, stride, wanted,
                                 parent_columns<false, true, false>(m, dxy, dyz, dzx, z, v));
    case Beside::crossing_both:
      return put_columns<Wanted>(to, stride, wanted,
                                 parent_columns<false, true, true>(m, dxy, dyz, dzx, z, v));
  }
}

template <unsigned Wanted>
STEELYARD_INLINE void torque_rows(const View& view, const Link& link, const Motion& m, const Group& g,
                                  Size stride) {
  const V dxy = m.xx - m.yy, dyz = m.yy - m.zz, dzx = m.zz - m.xx;
  const Size* places = view.places + link.first;
  const double* twist = g.twists + link.target * kWidth;
  const int full_rows = link.depth - (link.own_z ? 1 : 0) - (link.after_own_z ? 1 : 0);
  for (int k = 0; k < full_rows; ++k, ++places, twist += kTwist * kWidth) {
    const Columns y = torque_columns(m, dxy, dyz, dzx, load3(twist), load3(twist + 3 * kWidth));
    put_columns<Wanted>(g.tile + *places * stride, stride, link.columns, y);
  }
  if (link.after_own_z) {
    const V3 z = load3(twist), v = load3(twist + 3 * kWidth);
    put_parent<Wanted>(link, m, dxy, dyz, dzx, z, v, g.tile + *places++ * stride, stride);
  }
  if (link.own_z) put_columns<Wanted>(g.tile + *places * stride, stride, link.columns, own_columns(m, dxy));
}

STEELYARD_INLINE void drive_columns(const View& view, const Group& g, Size stride) {
  for (int d = 0; d < view.drive_count; ++d) {
    const Drive& drive = view.drives[d];
    const Size a = drive.channel * g.stride, b = drive.partner * g.stride;
    V y = all(1.0);
    if (drive.op == DriveOp::acceleration) y = load(g.qdd + a);
    if (drive.op == DriveOp::velocity) y = load(g.qd + a);
    if (drive.op == DriveOp::sign) y = sign_of(load(g.qd + a));
    if (drive.op == DriveOp::sign_of_sum) y = sign_of(load(g.qd + a) + load(g.qd + b));
    store(g.tile + drive.place * stride, y);
  }
}

// sin and cos are those of the next group: no computation waits for them yet, and they keep the processor
// busy while the first links of this group wait for one another.
void torque(const View& view, const Call& call) {
  const Size stride = call.column_stride, pose_size = 2 * view.link_count * kWidth;
  Group next = group_at(view, call, 0);
  prepare_poses(view, next.q, next.stride, next.poses);
  for (Size start = 0; start < call.count; start += kWidth) {
    const Group g = next;
    if (start + kWidth < call.count) {
      next = group_at(view, call, start + kWidth);
      next.poses = g.poses == next.poses ? next.poses + pose_size : next.poses;
      prepare_poses(view, next.q, next.stride, next.poses);
    }
    Motion m;
    base_motion(view, m);
    for (int J = 0; J < view.link_count; ++J) {
      const Link& link = view.links[J];
      const Size channel = link.channel * g.stride;
      recall(view, link, J, g.states, m);
      const double* pose = g.poses + 2 * J * kWidth;
      move(link, pose, load(g.qd + channel), load(g.qdd + channel), m, g.scratch);
      if (link.saves_state) save(link, g.states, m);
      carry_path(link, pose, g.twists);
      if (link.columns == kAllColumns)
        torque_rows<kAllColumns>(view, link, m, g, stride);
      else if (link.columns == kBaseColumns)
        torque_rows<kBaseColumns>(view, link, m, g, stride);
      else
        torque_rows<0>(view, link, m, g, stride);
    }
    drive_columns(view, g, stride);
  }
}

// Torque rows at rest: only the acceleration −gravity is left, and with it four columns.
void gravity(const View& view, const Call& call) {
  for (Size start = 0; start < call.count; start += kWidth) {
    const Group g = group_at(view, call, start);
    prepare_poses(view, g.q, g.stride, g.poses);
    for (int J = 0; J < view.link_count; ++J) {
      const Link& link = view.links[J];
      const double* pose = g.poses + 2 * J * kWidth;
      V3 a = {all(-view.gravity[0]), all(-view.gravity[1]), all(-view.gravity[2])};
      if (link.parent >= 0) a = load3(g.states + view.links[link.parent].state * kWidth);
      a = turn_into(link, pose_of(link, pose), a, g.scratch);
      store3(g.states + link.state * kWidth, a);
      carry_path(link, pose, g.twists);
      const double* twist = g.twists + link.target * kWidth;
      for (int k = 0; k < link.depth; ++k, twist += kTwist * kWidth) {
        const V3 z = load3(twist), v = load3(twist + 3 * kWidth);
        const V3 first = add_cross({V{}, V{}, V{}}, a, z);
        const V mass = fma(v.x, a.x, fma(v.y, a.y, v.z * a.z));
        const Columns y{mass, first.x, first.y, first.z, V{}, V{}, V{}, V{}, V{}, V{}};
        put(g.tile + view.places[link.first + k] * call.column_stride, call.column_stride, link.columns, y);
      }
    }
  }
}

template <unsigned Wanted>
STEELYARD_INLINE void inertia_rows(const View& view, const Link& link, const Group& g, Size stride) {
  const Size* places = view.places + link.first;
  const double* twists = g.twists + link.target * kWidth;
  for (int i = 0; i < link.depth; ++i) {
    const double* ti = twists + i * kTwist * kWidth;
    const V3 zi = load3(ti), vi = load3(ti + 3 * kWidth);
    for (int j = 0; j <= i; ++j) {
      const double* tj = twists + j * kTwist * kWidth;
      const Columns y = inertia_columns(zi, vi, load3(tj), load3(tj + 3 * kWidth));
      put_columns<Wanted>(g.tile + *places++ * stride, stride, link.columns, y);
    }
  }
}

void inertia(const View& view, const Call& call) {
  const Size stride = call.column_stride;
  for (Size start = 0; start < call.count; start += kWidth) {
    const Group g = group_at(view, call, start);
    prepare_poses(view, g.q, g.stride, g.poses);
    for (int J = 0; J < view.link_count; ++J) {
      const Link& link = view.links[J];
      carry_path(link, g.poses + 2 * J * kWidth, g.twists);
      if (link.columns == kAllColumns)
        inertia_rows<kAllColumns>(view, link, g, stride);
      else
        inertia_rows<0>(view, link, g, stride);
    }
    drive_columns(view, g, stride);
  }
}

void sin_cos_of(const double* q, double* sin, double* cos, Size count) {
  for (Size start = 0; start < count; start += kWidth) {
    const Size last = count - start < kWidth ? count - start : kWidth;
    double in[kWidth] = {}, s[kWidth], c[kWidth];
    for (Size k = 0; k < last; ++k) in[k] = q[start + k];
    V sine, cosine;
    sin_cos(load(in), sine, cosine);
    store(s, sine);
    store(c, cosine);
    for (Size k = 0; k < last; ++k) sin[start + k] = s[k], cos[start + k] = c[k];
  }
}

constexpr Table kTable = {STEELYARD_LANES, torque, gravity, inertia, sin_cos_of};
