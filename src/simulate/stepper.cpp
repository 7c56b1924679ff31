#include "simulate/stepper.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "steelyard/core/error.hpp"
#include "steelyard/core/linear_algebra.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr int kMaxSweeps = 1000;
constexpr int kMaxLoads = 200;  // a gear that takes 0.85 of its load needs them for the last digit

[[noreturn]] void refuse_inertia(double time) {
  throw InputError({fmt::format("the mass matrix is not positive definite at {:.4g} s of the motion", time),
                    {},
                    "physically possible parameters",
                    "simulate with feasible parameters"});
}

Cholesky factor_of(const MatrixXd& M, double time) {
  Cholesky factor(M);
  if (!factor.is_positive() || !M.allFinite()) refuse_inertia(time);
  return factor;
}

}  // namespace

void resolve_friction(const MatrixXd& W, const VectorXd& low, const VectorXd& high, VectorXd& p,
                      VectorXd& v) {
  const double scale = v.cwiseAbs().maxCoeff() + (W * (high - low).cwiseAbs()).cwiseAbs().maxCoeff();
  for (int sweep = 0; sweep < kMaxSweeps; ++sweep) {
    double moved = 0;
    for (Index d = 0; d < p.size(); ++d) {
      if (!(W(d, d) > 0)) continue;
      const double change = std::clamp(p[d] - v[d] / W(d, d), low[d], high[d]) - p[d];
      if (change == 0) continue;
      p[d] += change;
      v += W.col(d) * change;
      moved = std::max(moved, std::abs(change) * W(d, d));
    }
    if (moved <= 1e-14 * scale) return;
  }
}

Stepper::Stepper(const Plant& plant, VectorXd q, VectorXd qd)
    : plant_(plant),
      q_(std::move(q)),
      qd_(std::move(qd)),
      effort_(VectorXd::Zero(q_.size())),
      acceleration_(VectorXd::Zero(q_.size())),
      held_(VectorXd::Zero(plant.dry_count())) {
  for (Index d = 0; d < plant.dry_count(); ++d) {
    const double v = plant.directions().col(d).dot(qd_);
    signs_.push_back((v > 0) - (v < 0));
  }
}

// Forces of the directions that slide; those that stick keep what they hold.
VectorXd Stepper::sliding_forces(const VectorXd& qd, const VectorXd& load) const {
  VectorXd force = held_;
  for (Index d = 0; d < force.size(); ++d) {
    const int s = signs_[static_cast<std::size_t>(d)];
    if (s != 0) force[d] = -s * plant_.dry(d, s, std::abs(plant_.directions().col(d).dot(qd)), load);
  }
  return force;
}

template <typename Forces>
VectorXd Stepper::under_own_load(const Plant::Equations& equations, VectorXd& load,
                                 const Forces& forces) const {
  VectorXd acceleration = forces(load);
  for (int k = 0; k < kMaxLoads && plant_.has_loads(); ++k) {
    const VectorXd own = equations.load(acceleration);
    const double change = (own - load).cwiseAbs().maxCoeff();
    load = own;
    if (change <= 1e-13 * load.cwiseAbs().maxCoeff()) break;
    acceleration = forces(load);
  }
  return acceleration;
}

Stepper::Rates Stepper::rates(const VectorXd& q, const VectorXd& qd, double time, VectorXd* dry_force) {
  if (plant_.has_loads()) return rates_under_loads(q, qd, time, dry_force);
  VectorXd force = effort_, acceleration;
  if (plant_.dry_count() > 0) {
    const VectorXd dry = sliding_forces(qd, load_);
    force += plant_.directions() * dry;
    if (dry_force != nullptr) *dry_force = dry;
  }
  if (!plant_.accelerate(q, qd, force, acceleration)) refuse_inertia(time);
  return {qd, acceleration};
}

Stepper::Rates Stepper::rates_under_loads(const VectorXd& q, const VectorXd& qd, double time,
                                          VectorXd* dry_force) {
  const Plant::Equations equations = plant_.equations(q, qd);
  const Cholesky factor = factor_of(equations.M, time);
  VectorXd load = load_;
  const auto forces = [&](const VectorXd& own) {
    VectorXd force = effort_ - equations.bias - plant_.lost(qd, own);
    if (plant_.dry_count() > 0) {
      const VectorXd dry = sliding_forces(qd, own);
      force += plant_.directions() * dry;
      if (dry_force != nullptr) *dry_force = dry;
    }
    return VectorXd(factor.solve(force));
  };
  return {qd, under_own_load(equations, load, forces)};
}

void Stepper::set_effort(const VectorXd& effort, double time) {
  effort_ = effort;
  compliance_.resize(0, 0);
  const bool sticks = std::any_of(signs_.begin(), signs_.end(), [](int s) { return s == 0; });
  if (!sticks && !plant_.has_loads()) {
    acceleration_ = rates(q_, qd_, time, nullptr).a;
    return;
  }
  const Plant::Equations equations = plant_.equations(q_, qd_);
  const Cholesky factor = factor_of(equations.M, time);
  if (plant_.dry_count() > 0) compliance_ = factor.solve(plant_.directions());
  if (plant_.has_loads() && load_.size() == 0) load_ = equations.weight;
  acceleration_ = under_own_load(
      equations, load_, [&](const VectorXd& load) { return acceleration_under(equations, factor, load); });
}

// With the friction of directions that slide, and of those that stick what they hold.
VectorXd Stepper::acceleration_under(const Plant::Equations& equations, const Cholesky& factor,
                                     const VectorXd& load) {
  const Index n = plant_.dry_count();
  VectorXd low(n), high(n);
  for (Index d = 0; d < n; ++d) {
    low[d] = -plant_.dry(d, 1, 0, load), high[d] = plant_.dry(d, -1, 0, load);
    if (signs_[static_cast<std::size_t>(d)] == 0) held_[d] = std::clamp(held_[d], low[d], high[d]);
  }
  VectorXd free = effort_ - equations.bias;
  if (plant_.has_loads()) free -= plant_.lost(qd_, load);
  if (n == 0) return factor.solve(free);
  VectorXd force = sliding_forces(qd_, load);
  VectorXd acceleration = factor.solve(free + plant_.directions() * force);
  // Sliding directions have their force already: a box without width.
  for (Index d = 0; d < n; ++d) {
    if (signs_[static_cast<std::size_t>(d)] != 0) low[d] = high[d] = force[d];
  }
  if (std::none_of(signs_.begin(), signs_.end(), [](int s) { return s == 0; })) return acceleration;
  const VectorXd before = force;
  VectorXd along = plant_.directions().transpose() * acceleration;
  resolve_friction(plant_.directions().transpose() * compliance_, low, high, force, along);
  acceleration += compliance_ * (force - before);
  held_ = force;
  return acceleration;
}

// Signs and velocities behind a step that did not keep its directions.
void Stepper::land(double h, double time, const VectorXd& impulse, const VectorXd& q, const VectorXd& qd) {
  const MatrixXd& D = plant_.directions();
  if (compliance_.cols() == 0) compliance_ = factor_of(plant_.mass_matrix(q_), time).solve(D);
  const Index n = plant_.dry_count();
  VectorXd low(n), high(n), along = D.transpose() * qd;
  for (Index d = 0; d < n; ++d) {
    const double speed = std::abs(along[d]);
    low[d] = -h * plant_.dry(d, 1, speed, load_), high[d] = h * plant_.dry(d, -1, speed, load_);
  }
  VectorXd p = impulse.cwiseMax(low).cwiseMin(high);
  const MatrixXd W = D.transpose() * compliance_;
  along += W * (p - impulse);
  resolve_friction(W, low, high, p, along);
  const VectorXd change = compliance_ * (p - impulse);
  q_ = q + h / 2 * change;
  qd_ = qd + change;
  for (Index d = 0; d < n; ++d) {
    const bool inside = p[d] > low[d] && p[d] < high[d];
    signs_[static_cast<std::size_t>(d)] = inside ? 0 : (along[d] > 0) - (along[d] < 0);
    held_[d] = p[d] / h;
    // A coordinate that sticks stands still, and not at some 1e-17.
    if (Index only = 0; inside && D.col(d).cwiseAbs().maxCoeff(&only) == D.col(d).cwiseAbs().sum())
      qd_[only] = 0;
  }
}

void Stepper::step(double h, double time) {
  VectorXd f1, f2, f3, f4;
  const bool dry = plant_.dry_count() > 0;
  if (dry) f1 = sliding_forces(qd_, load_);
  const Rates k1{qd_, acceleration_};
  const Rates k2 = rates(q_ + h / 2 * k1.v, qd_ + h / 2 * k1.a, time, &f2);
  const Rates k3 = rates(q_ + h / 2 * k2.v, qd_ + h / 2 * k2.a, time, &f3);
  const Rates k4 = rates(q_ + h * k3.v, qd_ + h * k3.a, time, &f4);
  const VectorXd q = q_ + h / 6 * (k1.v + 2 * k2.v + 2 * k3.v + k4.v);
  const VectorXd qd = qd_ + h / 6 * (k1.a + 2 * k2.a + 2 * k3.a + k4.a);
  bool kept = true;
  for (Index d = 0; dry && kept && d < plant_.dry_count(); ++d) {
    const int s = signs_[static_cast<std::size_t>(d)];
    kept = s != 0 && s * plant_.directions().col(d).dot(qd) > 0;
  }
  if (!kept) return land(h, time, h / 6 * (f1 + 2 * f2 + 2 * f3 + f4), q, qd);
  q_ = q;
  qd_ = qd;
}

}  // namespace steelyard
