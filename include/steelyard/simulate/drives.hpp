// What a drive adds to the rigid-body effort of its joint; all terms add up.
//
//   τ = τ_rigid + Ia q̈ + τ_f(q̇)
//   τ_f = fv q̇ + fc sign(q̇) + fo                                           linear
//       + f₊ (q̇ > 0), − f₋ (q̇ < 0)                                         asymmetric Coulomb
//       + φ1/(1 + exp(−φ2 (q̇ + φ3))) − φ1/(1 + exp(−φ2 φ3))                sigmoid of the Panda paper
//       + fs exp(−|q̇/vs|^δ) sign(q̇)                                        Stribeck: fc + fs at creeping
//       speed
//       + μ |τ_rigid| S(q̇),  S = tanh(q̇/vl), or sign(q̇) with vl = 0         load friction: μd where the gear
//       drives its load (τ_rigid S > 0), μb where the load drives the gear, in both + 2κ/(1 − κσ),
//       κ = κ0 + κs exp(−(q̇/vm)²), σ = S sign(τ_rigid): a share κ of what passes on both sides of the gear
//       + (r + rs sign(q̇)) sin(n q + φ)                                     ripple; in open loop only
//
// sign(0) = 0: a joint that stands still has no friction but its offset. Static friction at rest is not
// determined by a given motion; in closed loop joints stick.
//
// Currents: u = g v per joint, τ = Cᵀ u with C = N diag(N)⁻¹ for a robot with transmission N, else τ = u. For
// a wrist whose motor 6 is coupled to joint 5 that is τ5 = g5 v5 + g6 v6, τ6 = g6 v6.
#pragma once

#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/robot/robot.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct Friction {
  double viscous = 0;             // fv
  double coulomb = 0;             // fc
  double offset = 0;              // fo
  double coulomb_positive = 0;    // f₊
  double coulomb_negative = 0;    // f₋
  double sigmoid_height = 0;      // φ1
  double sigmoid_slope = 1;       // φ2
  double sigmoid_shift = 0;       // φ3
  double stribeck = 0;            // fs
  double stribeck_velocity = 1;   // vs > 0
  double stribeck_exponent = 2;   // δ > 0
  double load_driving = 0;        // μd, at least 0 and below 1
  double load_driven = 0;         // μb, likewise
  double load_velocity = 0;       // vl ≥ 0
  double load_mean = 0;           // κ0, at least 0
  double load_peak = 0;           // κs, at least 0, and κ0 + κs below 1
  double load_peak_velocity = 1;  // vm > 0
  double ripple = 0;              // r
  double dry_ripple = 0;          // rs
  double ripple_order = 0;        // n
  double ripple_phase = 0;        // φ

  bool has_ripple() const { return ripple != 0 || dry_ripple != 0; }

  bool has_load() const { return load_driving != 0 || load_driven != 0 || load_mean != 0 || load_peak != 0; }
};

// Of the velocity alone; and of the load.
double friction_effort(const Friction& friction, double qd);
double load_friction(const Friction& friction, double qd, double load);
double ripple_effort(const Friction& friction, double q, double qd);

// What holds a joint at rest against an effort upwards and downwards, beside its load: Coulomb and Stribeck
// friction, the limits of a sigmoid, both at least zero.
struct DryLimits {
  double up = 0, down = 0;
};
DryLimits dry_limits(const Friction& friction);

// Shares of its load that a gear holds at rest where it would drive it, and where the load would drive the gear.
struct RestShares {
  double driving = 0, driven = 0;
};
RestShares rest_shares(const Friction& friction);

// A joint under a load stays at rest while its effort is in between.
struct RestBand {
  double low = 0, high = 0;
};
RestBand rest_band(const Friction& friction, double load);

struct Drive {
  double rotor_inertia = 0;  // Ia, seen at the joint
  Friction friction;
  double gain = 1;  // g: effort at the joint per current [N·m/A]; not zero
};

// The columns Iam, fvm, fcm of a coupled pair, see robot.hpp.
struct PairDrive {
  double rotor_inertia = 0;
  double viscous = 0;
  double coulomb = 0;
};

// Parameters of a simulated robot, beside its geometry.
struct TrueParameters {
  VectorXd standard;             // 10 per link, in link order
  std::vector<Drive> drives;     // none, or one per joint (mimic joints too)
  std::vector<PairDrive> pairs;  // none, or one per coupled pair of the robot
};

// The inertias of the robot file, no friction, gains 1. Throws InputError naming links without inertia.
TrueParameters true_parameters(const Robot& robot);

// Throws InputError for wrong sizes and numbers that are not finite or have no meaning.
void validate(const TrueParameters& parameters, const Robot& robot);

}  // namespace steelyard
