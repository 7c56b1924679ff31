#include "traced_dynamics.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

Term3 constants(Graph& graph, const Vector3& v) {
  return {graph.constant(v[0]), graph.constant(v[1]), graph.constant(v[2])};
}

Term3 plus(const Term3& a, const Term3& b) {
  return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}

Term3 times(Term s, const Term3& a) {
  return {s * a[0], s * a[1], s * a[2]};
}

Term3 cross(const Term3& a, const Term3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

Term dot(const Term3& a, const Term3& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

Term3 rotate(const Term33& R, const Term3& a) {
  return {dot(R[0], a), dot(R[1], a), dot(R[2], a)};
}

Term3 rotate_back(const Term33& R, const Term3& a) {
  Term3 out;
  for (std::size_t k = 0; k < 3; ++k) out[k] = R[0][k] * a[0] + R[1][k] * a[1] + R[2][k] * a[2];
  return out;
}

struct Force {
  Term3 force, moment;
};

void set_pose(const TreeJoint& joint, Graph& graph, Term q, TracedLink& link) {
  const Term c = joint.prismatic ? q : cos(q), s = joint.prismatic ? graph.constant(0) : sin(q);
  const auto entry = [&](double fixed, double with_c, double with_s) {
    return graph.constant(fixed) + with_c * c + with_s * s;
  };
  for (Index r = 0; r < 3; ++r) {
    for (Index k = 0; k < 3; ++k)
      link.rotation[static_cast<std::size_t>(r)][static_cast<std::size_t>(k)] =
          entry(joint.R0(r, k), joint.Rc(r, k), joint.Rs(r, k));
    link.position[static_cast<std::size_t>(r)] = entry(joint.p0[r], joint.pc[r], joint.ps[r]);
  }
}

// Effort of all joints when the links carry the given forces.
Terms efforts(const Tree& tree, Graph& graph, const std::vector<TracedLink>& links,
              std::vector<Force> forces) {
  Terms tau(links.size());
  for (std::size_t i = links.size(); i-- > 0;) {
    const TreeJoint& joint = tree.joints[i];
    tau[i] =
        dot(constants(graph, joint.z), forces[i].moment) + dot(constants(graph, joint.v), forces[i].force);
    if (joint.parent < 0) continue;
    Force& parent = forces[static_cast<std::size_t>(joint.parent)];
    const Term3 force = rotate(links[i].rotation, forces[i].force);
    parent.force = plus(parent.force, force);
    parent.moment = plus(parent.moment,
                         plus(rotate(links[i].rotation, forces[i].moment), cross(links[i].position, force)));
  }
  return tau;
}

Force body_force(Graph& graph, const TracedLink& link, const Vector10& p) {
  const Term m = graph.constant(p[0]);
  const Term3 mc = constants(graph, p.segment<3>(1));
  const Term33 J = {constants(graph, {p[4], p[5], p[6]}), constants(graph, {p[5], p[7], p[8]}),
                    constants(graph, {p[6], p[8], p[9]})};
  Force out;
  out.force = plus(times(m, link.acceleration),
                   plus(cross(link.alpha, mc), cross(link.omega, cross(link.omega, mc))));
  out.moment = plus(rotate(J, link.alpha),
                    plus(cross(mc, link.acceleration), cross(link.omega, rotate(J, link.omega))));
  return out;
}

std::vector<Force> no_forces(Graph& graph, std::size_t count) {
  const Term3 zero = constants(graph, Vector3::Zero());
  return std::vector<Force>(count, Force{zero, zero});
}

}  // namespace

std::vector<TracedLink> traced_motion(const Tree& tree, Graph& graph, const Terms& q, const Terms& qd,
                                      const Terms& qdd, bool gravity) {
  const Term3 zero = constants(graph, Vector3::Zero());
  const Term3 lift = constants(graph, gravity ? Vector3(-tree.gravity) : Vector3(Vector3::Zero()));
  std::vector<TracedLink> links(tree.joints.size());
  for (std::size_t i = 0; i < links.size(); ++i) {
    const TreeJoint& joint = tree.joints[i];
    TracedLink& link = links[i];
    set_pose(joint, graph, q[i], link);
    const bool root = joint.parent < 0;
    const TracedLink* parent = root ? nullptr : &links[static_cast<std::size_t>(joint.parent)];
    const Term3 omega = root ? zero : parent->omega, alpha = root ? zero : parent->alpha;
    const Term3 acceleration = root ? lift : parent->acceleration;
    const Term3 z = constants(graph, joint.z), v = constants(graph, joint.v);
    const Term3 carried = rotate_back(link.rotation, omega);  // the parent's turning, in link axes
    const Term3 spin = times(qd[i], z), slide = times(qd[i], v);
    link.omega = plus(carried, spin);
    link.alpha = plus(rotate_back(link.rotation, alpha), plus(times(qdd[i], z), cross(carried, spin)));
    const Term3 at_origin =
        plus(acceleration, plus(cross(alpha, link.position), cross(omega, cross(omega, link.position))));
    // Coriolis 2 ω × q̇v, along the joint q̈v, and on its circle q̇z × q̇v.
    const Term3 relative =
        plus(times(qdd[i], v), plus(times(graph.constant(2), cross(carried, slide)), cross(spin, slide)));
    link.acceleration = plus(rotate_back(link.rotation, at_origin), relative);
  }
  return links;
}

Terms traced_effort(const Tree& tree, Graph& graph, const std::vector<TracedLink>& links,
                    const VectorXd& parameters) {
  std::vector<Force> forces;
  for (std::size_t i = 0; i < links.size(); ++i)
    forces.push_back(body_force(graph, links[i], parameters.segment<10>(10 * static_cast<Index>(i))));
  return efforts(tree, graph, links, std::move(forces));
}

Terms traced_column(const Tree& tree, Graph& graph, const std::vector<TracedLink>& links, int link,
                    int parameter) {
  std::vector<Force> forces = no_forces(graph, links.size());
  forces[static_cast<std::size_t>(link)] =
      body_force(graph, links[static_cast<std::size_t>(link)], Vector10::Unit(parameter));
  return efforts(tree, graph, links, std::move(forces));
}

}  // namespace steelyard
