#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "dynamics/arguments.hpp"
#include "dynamics/kernel_call.hpp"
#include "dynamics/mass_matrix.hpp"
#include "steelyard/core/error.hpp"

namespace steelyard::inline STEELYARD_ABI {

namespace dynamics {

struct Prepared {
  std::shared_ptr<const Skeleton> skeleton;
  std::vector<articulated::Body> bodies;  // with rotors where coordinates are joints
  Vector3 gravity;
  Coordinates coordinates;
  MatrixXd rotors;
  bool joints_are_coordinates = true;
  bool articulated = true;

  articulated::View view() const { return view_of(*skeleton, bodies.data(), gravity); }
};

}  // namespace dynamics

namespace {

constexpr Index kExpanded = 64;  // samples of all joints at a time, where they are not the coordinates

Coordinates joints_themselves(const Tree& tree) {
  Coordinates out;
  out.matrix = MatrixXd::Identity(tree.size(), tree.size());
  out.offset = VectorXd::Zero(tree.size());
  for (int i = 0; i < tree.size(); ++i) out.joints.push_back(i);
  return out;
}

// all = C x (+ offset) for samples first … first + count.
void expand_samples(const Coordinates& c, bool with_offset, const double* x, Index stride, Index first,
                    Index count, double* all) {
  for (Index i = 0; i < c.matrix.rows(); ++i) {
    double* to = all + i * kExpanded;
    std::fill_n(to, count, with_offset ? c.offset[i] : 0.0);
    for (Index a = 0; a < c.matrix.cols(); ++a) {
      const double ratio = c.matrix(i, a);
      if (ratio == 0) continue;
      for (Index s = 0; s < count; ++s) to[s] += ratio * x[a * stride + first + s];
    }
  }
}

// Cᵀ τ + B q̈
void gather_samples(const dynamics::Prepared& p, const DynamicsSamples& samples, Index first, Index count,
                    const double* all, double* tau, Index stride) {
  const MatrixXd& C = p.coordinates.matrix;
  for (Index a = 0; a < C.cols(); ++a) {
    double* to = tau + a * stride + first;
    std::fill_n(to, count, 0.0);
    for (Index i = 0; i < C.rows(); ++i) {
      if (C(i, a) == 0) continue;
      for (Index s = 0; s < count; ++s) to[s] += C(i, a) * all[i * kExpanded + s];
    }
    for (Index b = 0; b < C.cols(); ++b) {
      if (p.rotors(a, b) == 0) continue;
      for (Index s = 0; s < count; ++s)
        to[s] += p.rotors(a, b) * samples.given[b * samples.stride + first + s];
    }
  }
}

void inverse_by_expansion(const dynamics::Prepared& p, const DynamicsSamples& samples, double* tau,
                          Index stride) {
  const Coordinates& c = p.coordinates;
  const Index n = c.matrix.rows(), size = n * kExpanded;
  std::vector<double> all(static_cast<std::size_t>(4 * size));
  for (Index first = 0; first < samples.count; first += kExpanded) {
    const Index count = std::min(kExpanded, samples.count - first);
    expand_samples(c, true, samples.q, samples.stride, first, count, all.data());
    expand_samples(c, false, samples.qd, samples.stride, first, count, all.data() + size);
    expand_samples(c, false, samples.given, samples.stride, first, count, all.data() + 2 * size);
    double* const efforts = all.data() + 3 * size;
    articulated::Call call{all.data(), all.data() + size, all.data() + 2 * size, kExpanded, count,
                           efforts,    kExpanded};
    dynamics::run_inverse(p.view(), call);
    gather_samples(p, samples, first, count, efforts, tau, stride);
  }
}

// M of the coordinates, rotors included, and the magnitudes of its diagonal.
dynamics::MassMatrix mass_of_coordinates(const dynamics::Prepared& p, const VectorXd& q) {
  if (p.joints_are_coordinates) {
    dynamics::MassMatrix out = dynamics::compute_mass_matrix(*p.skeleton, p.bodies.data(), q.data());
    out.matrix += p.rotors;
    out.magnitude += p.rotors.diagonal().cwiseAbs();
    return out;
  }
  const MatrixXd& C = p.coordinates.matrix;
  const VectorXd all = C * q + p.coordinates.offset;
  const dynamics::MassMatrix joints = dynamics::compute_mass_matrix(*p.skeleton, p.bodies.data(), all.data());
  dynamics::MassMatrix out;
  out.matrix = C.transpose() * joints.matrix * C + p.rotors;
  // |C|ᵀ |M| |C| with |M_ij| ≤ √(magnitude_i magnitude_j)
  out.magnitude = (C.cwiseAbs().transpose() * joints.magnitude.cwiseSqrt()).cwiseAbs2();
  out.magnitude += p.rotors.diagonal().cwiseAbs();
  return out;
}

DynamicsPlan::Failure forward_by_mass_matrix(const dynamics::Prepared& p, const DynamicsSamples& samples,
                                             double* qdd, Index stride) {
  const Index n = p.coordinates.matrix.cols();
  const MatrixXd zero = MatrixXd::Zero(samples.count, n);
  MatrixXd bias(samples.count, n);
  inverse_by_expansion(p, {samples.q, samples.qd, zero.data(), samples.stride, samples.count}, bias.data(),
                       samples.count);
  DynamicsPlan::Failure failure;
  VectorXd q(n), x(n);
  for (Index s = 0; s < samples.count; ++s) {
    for (Index a = 0; a < n; ++a) {
      q[a] = samples.q[a * samples.stride + s];
      x[a] = samples.given[a * samples.stride + s] - bias(s, a);
    }
    auto [factor, magnitude] = mass_of_coordinates(p, q);
    const int failed = dynamics::factor_from_leaves(factor, magnitude);
    if (failed >= 0) {
      const int joint = p.coordinates.joints[static_cast<std::size_t>(failed)];
      if (failure.sample < 0) failure = {s, joint};
    } else {
      dynamics::solve_from_leaves(factor, x);
    }
    for (Index a = 0; a < n; ++a) qdd[a * stride + s] = x[a];
  }
  return failure;
}

void require_channels(const DynamicsSamples& samples, Index stride) {
  require(samples.count <= 0 || (samples.q != nullptr && samples.qd != nullptr && samples.given != nullptr),
          "dynamics need positions, velocities and what is given");
  require(samples.stride >= samples.count && stride >= samples.count, "channels do not overlap");
}

void require_coordinates(Index size, Index expected, const char* name) {
  if (size == expected) return;
  throw InputError({fmt::format("{} has {} entries instead of {}", name, size, expected),
                    {},
                    "one entry for each independent coordinate",
                    ""});
}

}  // namespace

DynamicsPlan::DynamicsPlan(const Tree& tree, const VectorXd& parameters)
    : DynamicsPlan(tree, parameters, joints_themselves(tree), MatrixXd::Zero(tree.size(), tree.size())) {}

DynamicsPlan::DynamicsPlan(const Tree& tree, const VectorXd& parameters, const Coordinates& coordinates,
                           const MatrixXd& rotors) {
  dynamics::require_parameters(tree, parameters);
  const Index n = coordinates.matrix.cols();
  require(coordinates.matrix.rows() == tree.size() && coordinates.offset.size() == tree.size() &&
              rotors.rows() == n && rotors.cols() == n,
          "coordinates and rotors are those of the tree");
  auto prepared = std::make_shared<dynamics::Prepared>();
  prepared->skeleton = dynamics::skeleton_of(tree);
  prepared->bodies.resize(tree.joints.size());
  dynamics::place_bodies(*prepared->skeleton, parameters.data(), prepared->bodies.data());
  prepared->gravity = tree.gravity;
  prepared->coordinates = coordinates;
  prepared->rotors = rotors;
  prepared->joints_are_coordinates =
      n == tree.size() && coordinates.matrix.isIdentity(0) && coordinates.offset.isZero(0);
  prepared->articulated = prepared->joints_are_coordinates && rotors.isDiagonal(0);
  if (prepared->articulated)
    for (Index i = 0; i < n; ++i) prepared->bodies[static_cast<std::size_t>(i)].rotor = rotors(i, i);
  prepared_ = std::move(prepared);
}

Index DynamicsPlan::joints() const {
  return prepared_->coordinates.matrix.cols();
}

bool DynamicsPlan::by_articulated_bodies() const {
  return prepared_->articulated;
}

DynamicsPlan::Failure DynamicsPlan::forward(const DynamicsSamples& samples, double* qdd, Index stride) const {
  require_channels(samples, stride);
  if (!prepared_->articulated) return forward_by_mass_matrix(*prepared_, samples, qdd, stride);
  dynamics::Scratch failed(static_cast<std::size_t>(std::max<Index>(samples.count, 0)));
  articulated::Call call{samples.q, samples.qd, samples.given, samples.stride, samples.count, qdd, stride};
  call.failed = failed.data();
  dynamics::run_forward(prepared_->view(), call);
  if (prepared_->bodies.empty()) return {};
  for (Index s = 0; s < samples.count; ++s)
    if (failed.data()[s] >= 0) return {s, static_cast<int>(failed.data()[s])};
  return {};
}

VectorXd DynamicsPlan::forward(const VectorXd& q, const VectorXd& qd, const VectorXd& tau) const {
  const Index n = joints();
  require_coordinates(q.size(), n, "q");
  require_coordinates(qd.size(), n, "qd");
  require_coordinates(tau.size(), n, "tau");
  VectorXd qdd(n);
  const Failure failure = forward({q.data(), qd.data(), tau.data(), 1, 1}, qdd.data(), 1);
  if (failure.sample >= 0) dynamics::refuse_mass_matrix(failure.joint);
  return qdd;
}

void DynamicsPlan::inverse(const DynamicsSamples& samples, double* tau, Index stride) const {
  require_channels(samples, stride);
  if (!prepared_->articulated) return inverse_by_expansion(*prepared_, samples, tau, stride);
  dynamics::run_inverse(prepared_->view(),
                        {samples.q, samples.qd, samples.given, samples.stride, samples.count, tau, stride});
}

VectorXd DynamicsPlan::inverse(const VectorXd& q, const VectorXd& qd, const VectorXd& qdd) const {
  const Index n = joints();
  require_coordinates(q.size(), n, "q");
  require_coordinates(qd.size(), n, "qd");
  require_coordinates(qdd.size(), n, "qdd");
  VectorXd tau(n);
  inverse({q.data(), qd.data(), qdd.data(), 1, 1}, tau.data(), 1);
  return tau;
}

MatrixXd DynamicsPlan::mass_matrix(const VectorXd& q) const {
  require_coordinates(q.size(), joints(), "q");
  return mass_of_coordinates(*prepared_, q).matrix;
}

}  // namespace steelyard
