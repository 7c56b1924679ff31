// One implicit step of links and motors on springs: two-stage Gauss collocation in accelerations.
//
//   Q_i = q + h c_i q̇ + h² Σ (A²)_ik a_k,   V_i = q̇ + h Σ A_ik a_k,   the same for θ
//   links and motors hold at both stages;   q̇ += h Σ b_i a_i,   q += h q̇ + h² Σ (bᵀA)_i a_i
//
// Newton's iterations keep the mass matrix of the step's beginning and the slopes of springs, control and
// friction: those are what is stiff. Inverse dynamics gives the residual, so that no iteration needs a mass
// matrix.
#pragma once

#include "steelyard/core/abi.hpp"
#include "steelyard/core/linear_algebra.hpp"
#include "steelyard/dynamics/dynamics.hpp"
#include "steelyard/simulate/elastic.hpp"

namespace steelyard::inline STEELYARD_ABI {

// What the control wants at a time: τ = effort + Kp (theta − θ) + Kd (velocity − θ̇).
struct ElasticTarget {
  VectorXd effort, theta, velocity;
};

// Numbers of the robot and its control, one per joint.
struct ElasticPlant {
  Tree tree;
  VectorXd standard;
  DynamicsPlan links;
  VectorXd K, D, B, viscous, coulomb, offset;
  VectorXd kp, kd;
  double coulomb_velocity = 0.01;

  Index joints() const { return K.size(); }
  VectorXd friction(const VectorXd& velocity) const;
  VectorXd friction_slope(const VectorXd& velocity) const;
  VectorXd control(const ElasticTarget& target, const VectorXd& theta, const VectorXd& thetad) const;
  VectorXd spring(const ElasticState& state) const;  // τ_J
  Energies energy(const ElasticState& state) const;  // springs and rotors count as kinetic
};

class ElasticStepper {
 public:
  ElasticStepper(const ElasticPlant& plant, ElasticState state) : plant_(plant), state_(std::move(state)) {}

  const ElasticState& state() const { return state_; }
  double work() const { return work_; }  // ∫ τᵀθ̇ dt so far
  double dissipated() const { return dissipated_; }

  // False when the iterations do not converge.
  bool step(double h, const ElasticTarget& first, const ElasticTarget& second);

  // Times of the two stages as shares of a step.
  static double stage(int i);

 private:
  struct Stage {
    ElasticState at;
    VectorXd qdd, thetadd;
  };
  void place(double h, Stage& stage, int i) const;
  void factorize(double h, const MatrixXd& M);
  double correct(const ElasticTarget* const* targets);

  const ElasticPlant& plant_;
  ElasticState state_;
  Stage stages_[2];
  Lu factor_;
  double work_ = 0, dissipated_ = 0;
};

}  // namespace steelyard
