// A robot with elastic joints under a controller that knows its motors: link and motor motion, and their log.
//
//   links     M(q) q̈ + c(q, q̇) + g(q) = τ_J,     τ_J = K (θ − q) + D (θ̇ − q̇)
//   motors    B θ̈ + fv θ̇ + fc tanh(θ̇/v0) + fo + τ_J = τ
//   control   τ = rigid(q_r, q̇_r, q̈_r) + B q̈_r + friction(q̇_r) + Kp (θ_r − θ) + Kd (q̇_r − θ̇)
//             θ_r = q_r + rigid(q_r, q̇_r, q̈_r) / K;  Kp = ω² (M_jj + B_j), Kd = 2ζω (M_jj + B_j) at the start
//
// θ, B, τ are those of the motors seen through the gears. Rotors turn about the joint axes only (no
// gyroscopic coupling of motors and links), friction acts on the motors only, Coulomb friction is smooth over
// ± v0 (motors at rest creep), the controller is continuous and sees the true motors: noise is in the log.
//
// The spring modes are far faster than the motion (ω² ≈ K (1/M + 1/B)) and hardly damped. Steps are implicit:
// the two-stage Gauss method, of fourth order, stable for any stiffness, without damping of its own. Substeps
// begin with h ω ≤ 1/2 for the fastest mode and double until the energy balance holds:
//
//   energy(t) − energy(0) = ∫ τᵀθ̇ dt − ∫ friction and damping dt         up to `energy_tolerance`
//
// of the largest kinetic and spring energy. Not for robots with mimic joints or coupled wrists.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "steelyard/core/abi.hpp"
#include "steelyard/log/run.hpp"
#include "steelyard/robot/robot.hpp"
#include "steelyard/simulate/drives.hpp"
#include "steelyard/simulate/trajectory.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct ElasticRobot {
  TrueParameters parameters;  // drives: rotor_inertia is B > 0; of the friction viscous, coulomb and offset
  VectorXd stiffness;         // K > 0 [N·m/rad or N/m]; one for all joints, or one per joint
  VectorXd damping;           // D ≥ 0; none, one, or one per joint
};

struct ElasticState {
  VectorXd q, qd;          // links
  VectorXd theta, thetad;  // motors
};

// Lists: none (zero), one number for all joints, or one per joint.
struct ElasticMotionOptions {
  double rate = 1000;              // [Hz] of the samples
  Index samples = 0;               // 0: from time 0 to the end of the motion, both included
  Index substeps = 0;              // integration steps between samples; 0: automatic
  double bandwidth = 5;            // [Hz] of the feedback; 0: none
  double control_damping = 0.7;    // ζ > 0
  bool feed_forward = true;        // false: feedback only
  double coulomb_velocity = 0.01;  // v0 > 0 [rad/s, m/s]
  double energy_tolerance = 1e-6;
  std::optional<ElasticState> start;  // not given: on the reference, springs in balance

  VectorXd link_noise;   // standard deviation of the link encoders
  VectorXd motor_noise;  // of the motor encoders, seen at the joint
  VectorXd
      relative_encoder_noise;      // both again, as share of the RMS of the joint's deflection about its mean
  VectorXd quantum;                // step of both encoders
  VectorXd effort_noise;           // of the motor torques
  VectorXd relative_effort_noise;  // the same as share of their RMS
  VectorXd elastic_torque_noise;   // of the joint torque sensors
  std::uint64_t seed = 1;

  void validate() const;  // throws InputError
};

// One row per sample, one column per joint; the truth, without noise.
struct ElasticMotion {
  VectorXd time;
  MatrixXd q, qd, qdd;
  MatrixXd theta, thetad, thetadd;
  MatrixXd effort;          // τ
  MatrixXd elastic_torque;  // τ_J
  MatrixXd reference;       // q_r
  Index substeps = 0;
  double energy_error = 0;  // worst defect of the balance over the largest kinetic and spring energy

  // RMS about the mean of θ − q, per joint.
  VectorXd deflection() const;
};

// Throws InputError for inputs that do not fit, and where steps do not converge or the energy balance fails
// with the maximum number of substeps.
ElasticMotion elastic_motion(const Robot& robot, const ElasticRobot& elastic, const Trajectory& reference,
                             const ElasticMotionOptions& options = {});

// Channels position (links), theta (motors), torque (motors) and elastic_torque, with noise and steps.
Run elastic_log(const ElasticMotion& motion, const ElasticMotionOptions& options, const RunLabel& label = {});

}  // namespace steelyard
