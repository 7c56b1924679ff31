#include "steelyard/regressor/adjoint.hpp"

#include <Eigen/Geometry>
#include <cmath>
#include <vector>

#include "regressor/program.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/dynamics/dynamics.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

using Vec = Eigen::Vector3d;

// A motion (angular, linear) or what a sum gains per motion (a wrench: moment, force), about the link's
// origin.
struct Six {
  Vec w = Vec::Zero();
  Vec v = Vec::Zero();

  Six& operator+=(const Six& other) {
    w += other.w;
    v += other.v;
    return *this;
  }
};

Six operator*(double factor, const Six& x) {
  return {factor * x.w, factor * x.v};
}

double dot(const Six& a, const Six& b) {
  return a.w.dot(b.w) + a.v.dot(b.v);
}

// V × W
Six cross(const Six& V, const Six& W) {
  return {V.w.cross(W.w), V.w.cross(W.v) + V.v.cross(W.w)};
}

// V ×* F
Six cross_wrench(const Six& V, const Six& F) {
  return {V.w.cross(F.w) + V.v.cross(F.v), V.w.cross(F.v)};
}

// The inertia whose ten parameters are given.
struct Inertial {
  double m;
  Vec mc;
  Eigen::Matrix3d J;

  explicit Inertial(const double* p) : m(p[0]), mc(p[1], p[2], p[3]) {
    J << p[4], p[5], p[6], p[5], p[7], p[8], p[6], p[8], p[9];
  }
  Six operator*(const Six& V) const { return {J * V.w + mc.cross(V.v), m * V.v + V.w.cross(mc)}; }
};

struct Body {
  Eigen::Matrix3d R;
  Vec p;
  Six S;
  Six carried_V, V, carried_A, A;  // carried: X times the parent's
  Six V_bar, A_bar;
  std::vector<Six> T, T_bar;  // of the joints on the path
};

Six into(const Body& body, const Six& x) {
  const Eigen::Matrix3d Rt = body.R.transpose();
  return {Rt * x.w, Rt * (x.v + x.w.cross(body.p))};
}

Six back(const Body& body, const Six& bar) {
  const Vec force = body.R * bar.v;
  return {body.R * bar.w + body.p.cross(force), force};
}

}  // namespace

struct RegressorAdjoint::Impl {
  Tree tree;
  std::shared_ptr<const kernels::Program> program;
  Index columns = 0;  // of the user's tile
  VectorXd widths;

  Index joint_columns() const { return program->mixes.empty() ? columns : program->joint_columns; }
  Index channels() const { return tree.size(); }

  // Forward through the links of one sample.
  void forward(const double* q, const double* qd, const double* qdd, std::vector<Body>& bodies) const {
    const auto& links = program->links;
    for (std::size_t i = 0; i < links.size(); ++i) {
      const simd::Link& link = links[i];
      const std::size_t J = static_cast<std::size_t>(link.channel);
      const TreeJoint& joint = tree.joints[J];
      Body& body = bodies[i];
      const Pose pose = joint.pose(q[J]);
      body.R = pose.rotation;
      body.p = pose.position;
      body.S = {joint.z, joint.v};
      const Body* parent = link.parent < 0 ? nullptr : &bodies[static_cast<std::size_t>(link.parent)];
      const Six A0{Vec::Zero(), -tree.gravity};
      body.carried_V = parent != nullptr ? into(body, parent->V) : Six{};
      body.carried_A = into(body, parent != nullptr ? parent->A : A0);
      body.V = body.carried_V;
      body.V += qd[J] * body.S;
      body.A = body.carried_A;
      body.A += qdd[J] * body.S;
      body.A += qd[J] * cross(body.carried_V, body.S);
      const std::size_t depth = joint.path.size();
      for (std::size_t k = 0; k + 1 < depth; ++k) body.T[k] = into(body, parent->T[k]);
      body.T[depth - 1] = body.S;
      body.V_bar = Six{};
      body.A_bar = Six{};
      for (Six& bar : body.T_bar) bar = Six{};
    }
  }

  // What the weighted rows of a link gain per V, A and twist.
  void seed(const simd::Link& link, Body& body, const double* weights) const {
    for (std::size_t k = 0; k < body.T.size(); ++k) {
      const double* w = weights + program->places[static_cast<std::size_t>(link.first) + k];
      double ten[10];
      bool any = false;
      for (unsigned c = 0; c < 10; ++c) {
        ten[c] = ((link.columns >> c) & 1U) != 0U ? *w++ : 0.0;
        any = any || ten[c] != 0;
      }
      if (!any) continue;
      const Inertial inertia(ten);
      const Six& T = body.T[k];
      const Six h = inertia * body.V;
      body.T_bar[k] += inertia * body.A;
      body.T_bar[k] += cross_wrench(body.V, h);
      body.A_bar += inertia * T;
      body.V_bar += inertia * cross(T, body.V);
      body.V_bar += -1.0 * cross_wrench(T, h);
    }
  }

  void backward(const double* qd, std::vector<Body>& bodies, double* out) const {
    const auto& links = program->links;
    const Index n = channels();
    for (std::size_t i = links.size(); i-- > 0;) {
      const simd::Link& link = links[i];
      const Index J = link.channel;
      Body& body = bodies[i];
      const Six turned = cross(body.carried_V, body.S);
      out[2 * n + J] += dot(body.S, body.A_bar);
      out[n + J] += dot(body.S, body.V_bar) + dot(turned, body.A_bar);
      body.V_bar += qd[J] * cross_wrench(body.S, body.A_bar);
      double angle = dot(turned, body.V_bar) + dot(cross(body.carried_A, body.S), body.A_bar);
      const std::size_t depth = body.T.size();
      for (std::size_t k = 0; k + 1 < depth; ++k) angle += dot(cross(body.T[k], body.S), body.T_bar[k]);
      out[J] += angle;
      if (link.parent < 0) continue;
      Body& parent = bodies[static_cast<std::size_t>(link.parent)];
      parent.V_bar += back(body, body.V_bar);
      parent.A_bar += back(body, body.A_bar);
      for (std::size_t k = 0; k + 1 < depth; ++k) parent.T_bar[k] += back(body, body.T_bar[k]);
    }
  }

  double slope(double velocity, double width) const {
    const double t = std::tanh(velocity / width);
    return (1 - t * t) / width;
  }

  void drives(const double* qd, const double* weights, double* out) const {
    const Index n = channels();
    for (const simd::Drive& drive : program->drives) {
      const double w = weights[drive.place];
      switch (drive.op) {
        case simd::DriveOp::acceleration:
          out[2 * n + drive.channel] += w;
          break;
        case simd::DriveOp::velocity:
          out[n + drive.channel] += w;
          break;
        case simd::DriveOp::sign:
          if (widths.size() > 0)
            out[n + drive.channel] += w * slope(qd[drive.channel], widths[drive.channel]);
          break;
        case simd::DriveOp::sign_of_sum: {
          if (widths.size() == 0) break;
          const double s =
              w * slope(qd[drive.channel] + qd[drive.partner], widths[drive.channel] + widths[drive.partner]);
          out[n + drive.channel] += s;
          out[n + drive.partner] += s;
          break;
        }
        case simd::DriveOp::one:
          break;
      }
    }
  }

  // All joints of sample s.
  void expand(const Samples& samples, Index s, double* all) const {
    const Coordinates& c = program->coordinates;
    const Index n = channels();
    for (Index i = 0; i < n; ++i) {
      double q = c.offset[i], qd = 0, qdd = 0;
      for (Index a = 0; a < c.matrix.cols(); ++a) {
        const double ratio = c.matrix(i, a);
        if (ratio == 0) continue;
        q += ratio * samples.q[a * samples.stride + s];
        qd += ratio * samples.qd[a * samples.stride + s];
        qdd += ratio * samples.qdd[a * samples.stride + s];
      }
      all[i] = q, all[n + i] = qd, all[2 * n + i] = qdd;
    }
  }
};

RegressorAdjoint::RegressorAdjoint(const Robot& robot, const Plan& plan, const VectorXd& sign_widths) {
  require(plan.program->kind == RowKind::torque, "gradients are of torque rows");
  auto impl = std::make_unique<Impl>();
  impl->tree = compile(robot);
  impl->program = plan.program;
  impl->columns = plan.stored_columns;
  require(sign_widths.size() == 0 || sign_widths.size() == impl->tree.size(), "one width per joint");
  impl->widths = sign_widths;
  impl_ = std::move(impl);
}
RegressorAdjoint::~RegressorAdjoint() = default;
RegressorAdjoint::RegressorAdjoint(RegressorAdjoint&&) noexcept = default;
RegressorAdjoint& RegressorAdjoint::operator=(RegressorAdjoint&&) noexcept = default;

void RegressorAdjoint::gradient(const Samples& samples, const double* weights, Index column_stride,
                                const MotionGradient& out) const {
  const Impl& m = *impl_;
  const kernels::Program& program = *m.program;
  std::vector<Body> bodies(program.links.size());
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const std::size_t depth = m.tree.joints[static_cast<std::size_t>(program.links[i].channel)].path.size();
    bodies[i].T.resize(depth);
    bodies[i].T_bar.resize(depth);
  }
  const Index n = m.channels();
  Eigen::VectorXd own(m.joint_columns()), all(3 * n), bar(3 * n);
  const MatrixXd& C = program.coordinates.matrix;
  for (Index s = 0; s < samples.count; ++s) {
    own.setZero();
    if (program.mixes.empty())
      for (Index k = 0; k < own.size(); ++k) own[k] = weights[k * column_stride + s];
    for (const kernels::Mix& mix : program.mixes)
      own[mix.source] += mix.factor * weights[mix.target * column_stride + s];
    m.expand(samples, s, all.data());
    bar.setZero();
    m.forward(all.data(), all.data() + n, all.data() + 2 * n, bodies);
    for (std::size_t i = 0; i < bodies.size(); ++i) m.seed(program.links[i], bodies[i], own.data());
    m.backward(all.data() + n, bodies, bar.data());
    m.drives(all.data() + n, own.data(), bar.data());
    for (Index a = 0; a < C.cols(); ++a) {
      out.q[a * out.stride + s] = C.col(a).dot(bar.head(n));
      out.qd[a * out.stride + s] = C.col(a).dot(bar.segment(n, n));
      out.qdd[a * out.stride + s] = C.col(a).dot(bar.tail(n));
    }
  }
}

void RegressorAdjoint::soften_signs(const Samples& samples, double* tile, Index column_stride) const {
  const Impl& m = *impl_;
  if (m.widths.size() == 0) return;
  const kernels::Program& program = *m.program;
  const Index n = m.channels();
  Eigen::VectorXd all(3 * n);
  for (Index s = 0; s < samples.count; ++s) {
    m.expand(samples, s, all.data());
    for (const simd::Drive& drive : program.drives) {
      if (drive.op != simd::DriveOp::sign && drive.op != simd::DriveOp::sign_of_sum) continue;
      double velocity = all[n + drive.channel], width = m.widths[drive.channel];
      if (drive.op == simd::DriveOp::sign_of_sum)
        velocity += all[n + drive.partner], width += m.widths[drive.partner];
      const double sign = velocity > 0 ? 1.0 : velocity < 0 ? -1.0 : 0.0;
      const double change = std::tanh(velocity / width) - sign;
      if (program.mixes.empty()) tile[drive.place * column_stride + s] += change;
      for (const kernels::Mix& mix : program.mixes)
        if (mix.source == drive.place) tile[mix.target * column_stride + s] += mix.factor * change;
    }
  }
}

}  // namespace steelyard
