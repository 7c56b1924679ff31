// One integration step of a plant with dry friction, see closed_loop.hpp.
#pragma once

#include <vector>

#include "simulate/plant.hpp"
#include "steelyard/core/linear_algebra.hpp"

namespace steelyard::inline STEELYARD_ABI {

class Stepper {
 public:
  Stepper(const Plant& plant, VectorXd q, VectorXd qd);

  const VectorXd& q() const { return q_; }
  const VectorXd& qd() const { return qd_; }

  // The effort from now on. Finds the acceleration at this instant, with the friction of joints that stick.
  // Throws InputError when M is not positive definite; `time` is for the message.
  void set_effort(const VectorXd& effort, double time);
  const VectorXd& acceleration() const { return acceleration_; }

  // Advances by h. Every step needs set_effort() before it: its acceleration is the first of the four.
  void step(double h, double time);

 private:
  struct Rates {
    VectorXd v, a;
  };
  Rates rates(const VectorXd& q, const VectorXd& qd, double time, VectorXd* dry_force);
  Rates rates_under_loads(const VectorXd& q, const VectorXd& qd, double time, VectorXd* dry_force);
  VectorXd sliding_forces(const VectorXd& qd, const VectorXd& load) const;
  // Calls forces(load), which gives the acceleration under these loads, until the loads are those of the
  // acceleration: gears take less than their whole load, so that every call comes nearer.
  template <typename Forces>
  VectorXd under_own_load(const Plant::Equations& equations, VectorXd& load, const Forces& forces) const;
  VectorXd acceleration_under(const Plant::Equations& equations, const Cholesky& factor,
                              const VectorXd& load);
  void land(double h, double time, const VectorXd& impulse, const VectorXd& q, const VectorXd& qd);

  const Plant& plant_;
  VectorXd q_, qd_, effort_, acceleration_;
  std::vector<int> signs_;  // of sliding; 0: sticks
  VectorXd held_;           // forces along the directions; of those that stick
  MatrixXd compliance_;     // M⁻¹ D at the beginning of the step; empty: not needed so far
  VectorXd load_;           // of the gears there; empty: no gear takes of it
};

// Projected Gauss-Seidel: p in [low, high] with v = v0 + W (p − p0); v = 0 inside the box, v ≥ 0 at `low`,
// v ≤ 0 at `high`. W = DᵀM⁻¹D is positive semidefinite: v is unique.
void resolve_friction(const MatrixXd& W, const VectorXd& low, const VectorXd& high, VectorXd& p, VectorXd& v);

}  // namespace steelyard
