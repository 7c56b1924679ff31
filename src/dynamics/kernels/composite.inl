// M(q) by composite bodies: what a joint carries as one body in its frame, the wrench that gives it a unit
// acceleration about the joint's axis, and that wrench in the frames of all joints before it.

struct Composite {
  V m;
  V3 h;
  Symmetric J;
  V size_h, size_J;
};

STEELYARD_INLINE Composite composite_of(const Body& body) {
  return {all(body.m),
          all3(body.h),
          {all(body.J[0]), all(body.J[1]), all(body.J[2]), all(body.J[3]), all(body.J[4]), all(body.J[5])},
          all(body.size_h),
          all(body.size_J)};
}

STEELYARD_INLINE Composite load_composite(const double* p) {
  return {load(p), load3(p + kWidth), load_symmetric(p + 4 * kWidth), load(p + 10 * kWidth),
          load(p + 11 * kWidth)};
}
STEELYARD_INLINE void store_composite(double* p, const Composite& I) {
  store(p, I.m);
  store3(p + kWidth, I.h);
  store_symmetric(p + 4 * kWidth, I.J);
  store(p + 10 * kWidth, I.size_h);
  store(p + 11 * kWidth, I.size_J);
}
STEELYARD_INLINE void add(Composite& A, const Composite& B) {
  A.m = A.m + B.m;
  A.h = {A.h.x + B.h.x, A.h.y + B.h.y, A.h.z + B.h.z};
  add(A.J, B.J);
  A.size_h = A.size_h + B.size_h;
  A.size_J = A.size_J + B.size_J;
}

// h ← h + m p,  J ← J + 2 p·h 1 − p hᵀ − h pᵀ + m (p² 1 − p pᵀ), one component of p after the other.
STEELYARD_INLINE void shift(V3 p, unsigned pattern, Composite& I) {
  V3& h = I.h;
  Symmetric& J = I.J;
  if (pattern & 1u) {
    const V both = p.x * fma(I.m, p.x, h.x + h.x);
    J.yy = J.yy + both, J.zz = J.zz + both, J.xy = fnma(p.x, h.y, J.xy), J.xz = fnma(p.x, h.z, J.xz);
    h.x = fma(I.m, p.x, h.x);
  }
  if (pattern & 2u) {
    const V both = p.y * fma(I.m, p.y, h.y + h.y);
    J.xx = J.xx + both, J.zz = J.zz + both, J.xy = fnma(p.y, h.x, J.xy), J.yz = fnma(p.y, h.z, J.yz);
    h.y = fma(I.m, p.y, h.y);
  }
  if (pattern & 4u) {
    const V both = p.z * fma(I.m, p.z, h.z + h.z);
    J.xx = J.xx + both, J.yy = J.yy + both, J.xz = fnma(p.z, h.x, J.xz), J.yz = fnma(p.z, h.y, J.yz);
    h.z = fma(I.m, p.z, h.z);
  }
}

template <Tilt Kind>
STEELYARD_INLINE void carry_back(const Joint& joint, const Frame& frame, Composite& I) {
  I.h = back<Kind>(joint, frame, I.h);
  turn_back_z(frame.cos, frame.sin, I.J);
  if (Kind == Tilt::quarter) I.J = {I.J.xx, -I.J.xz, I.J.xy, I.J.zz, -I.J.yz, I.J.yy};
  if (Kind == Tilt::general) turn_back_x(all(joint.tilt.cos), all(joint.tilt.sin), I.J);
  if (joint.turns) turn_back_z(all(joint.turn.cos), all(joint.turn.sin), I.J);
  shift(frame.p, joint.pattern, I);
}

template <Tilt Kind>
STEELYARD_INLINE void carry_wrench(const Joint& joint, const Frame& frame, Six& wrench) {
  wrench.f = back<Kind>(joint, frame, wrench.f);
  wrench.n = add_arm(back<Kind>(joint, frame, wrench.n), frame.p, joint.pattern, wrench.f);
}

STEELYARD_INLINE void carry_wrench(const Joint& joint, const Frame& frame, Six& wrench) {
  if (joint.tilt_kind == Tilt::none)
    carry_wrench<Tilt::none>(joint, frame, wrench);
  else if (joint.tilt_kind == Tilt::quarter)
    carry_wrench<Tilt::quarter>(joint, frame, wrench);
  else
    carry_wrench<Tilt::general>(joint, frame, wrench);
}

// M_ij of joint j and the joints i before it, of the first lane.
STEELYARD_INLINE void project(const View& view, const Group& g, int j, Six wrench, double* out) {
  for (int i = j; i >= 0;) {
    const Joint& joint = view.joints[i];
    const V entry = joint.slides ? wrench.f.z : wrench.n.z;
    out[i] = entry[0];
    if (joint.parent >= 0) carry_wrench(joint, frame_of(joint, g.link(i)), wrench);
    i = joint.parent;
  }
}

void mass(const View& view, const Call& call) {
  Group g{};
  g.links = call.workspace;
  g.gathered = g.links + kLinkVectors * view.count * kWidth;
  g.q = padded(call.q, call.stride, call.count, view.count,
               g.gathered + kGathered * view.gathered_slots * kWidth);
  g.stride = kWidth;
  prepare(view, g);
  for (int j = view.count - 1; j >= 0; --j) {
    const Joint& joint = view.joints[j];
    Composite I = composite_of(view.bodies[j]);
    if (!joint.is_leaf) add(I, load_composite(g.slot(joint)));
    const V none{};
    project(view, g, j,
            joint.slides ? Six{{none, none, I.m}, {I.h.y, -I.h.x, none}}
                         : Six{{-I.h.y, I.h.x, none}, {I.J.xz, I.J.yz, I.J.zz}},
            call.out + j * call.out_stride);
    const V size = joint.slides ? all(view.bodies[j].carried) : I.size_J;
    call.failed[j] = size[0];
    if (joint.parent < 0) continue;
    const Frame frame = frame_of(joint, g.link(j));
    if (joint.tilt_kind == Tilt::none)
      carry_back<Tilt::none>(joint, frame, I);
    else if (joint.tilt_kind == Tilt::quarter)
      carry_back<Tilt::quarter>(joint, frame, I);
    else
      carry_back<Tilt::general>(joint, frame, I);
    grow(joint, view.bodies[j], g.link(j), I.size_h, I.size_J);
    double* slot = g.slot(view.joints[joint.parent]);
    if (!joint.opens) add(I, load_composite(slot));
    store_composite(slot, I);
  }
}
