// A robot under a sampled controller that follows a motion: its true motion, and its log.
//
//   plant        M(q) q̈ + h(q, q̇) + Ia q̈ + τ_f(q̇) = τ        any tree; drives as in drives.hpp
//   controller   at t_k = k/rate from q_m = quantised(q + noise) and q̇_m, held until t_k+1; e = q_ref − q_m
//     feedback          τ = Kp e + Kd ė
//     gravity           τ = g(q_m) + Kp e + Kd ė
//     feed_forward      τ = model(q_ref, q̇_ref, q̈_ref) + Kp e + Kd ė
//     computed_torque   τ = model(q_m, q̇_m, q̈_ref + ω² e + 2ζω ė), friction at q̇_ref
//     effort            τ = the reference
//   gains        ω = 2π bandwidth; Kp = ω² M_jj, Kd = 2ζω M_jj with M_jj of the model at the beginning
//
// Dry friction (Coulomb, asymmetric, Stribeck) is a force in a box while a joint stands still: joints stick
// and break loose. All else is smooth. Steps of 1/(rate · substeps): Runge-Kutta of fourth order with the
// directions of sliding frozen; where a direction changes or a joint sticks, the friction's impulse over the
// step is found by the complementarity of velocity and force (implicit, first order in that step alone).
// Drives that are stiff against the inertia need more substeps; `automatic` counts them from the steepest
// friction at the start.
//
// Efforts are not limited, joints are stiff, nothing collides. Loads: add them to the parameters of the tool
// link. The last sample's effort is held, too, but the motion ends there.
#pragma once

#include <cstdint>
#include <optional>

#include "steelyard/core/abi.hpp"
#include "steelyard/log/run.hpp"
#include "steelyard/robot/robot.hpp"
#include "steelyard/simulate/drives.hpp"
#include "steelyard/simulate/simulate.hpp"
#include "steelyard/simulate/trajectory.hpp"

namespace steelyard::inline STEELYARD_ABI {

// `effort`: the reference is one of efforts, which drive the robot from the state at the start.
enum class Control { effort, feedback, gravity, feed_forward, computed_torque };

// Lists: none (zero), one number for all joints, or one per joint.
struct ClosedLoopOptions {
  double rate = 1000;  // [Hz] of the controller and of the samples
  Index samples = 0;   // 0: from time 0 to the end of the motion, both included
  Index substeps = 0;  // integration steps per control period; 0: automatic
  Control control = Control::computed_torque;
  double bandwidth = 10;                              // [Hz]; 0: no feedback; 2π bandwidth ≤ rate / 2
  double damping = 1;                                 // ζ > 0
  std::optional<TrueParameters> model;                // the controller's; not given: those of the plant
  VelocityChannel velocity = VelocityChannel::exact;  // what the controller takes for q̇; not `none`

  VectorXd position_noise;  // standard deviation of the encoders
  VectorXd quantum;         // their step
  VectorXd effort_noise;    // of the logged effort; the plant gets it without

  std::optional<JointState> start;  // q and q̇; not given: those of the motion at time 0, of efforts zero
  std::uint64_t seed = 1;

  void validate() const;  // throws InputError
};

// One row per sample, one column per independent coordinate.
struct ClosedLoopMotion {
  VectorXd time;
  MatrixXd q, qd, qdd;  // true state; q̈ behind the controller's step at this instant
  MatrixXd effort;      // of the drives, without noise
  MatrixXd measured;    // positions as the controller saw them
  MatrixXd reference;
  VectorXd worst_error;  // max |q_ref − q| of each coordinate
  Index substeps = 0;
};

// Throws InputError for inputs that do not fit, negative dry friction, a mass matrix that is not positive
// definite along the motion (joint and time), and unstable motions.
ClosedLoopMotion closed_loop(const Robot& robot, const TrueParameters& plant, const Trajectory& reference,
                             const ClosedLoopOptions& options = {});

// The log: positions as measured, efforts with noise, and the reference as channel `reference_position`, which commanded
// efforts do not have.
Run closed_loop_log(const ClosedLoopMotion& motion, const ClosedLoopOptions& options,
                    const RunLabel& label = {});

}  // namespace steelyard
