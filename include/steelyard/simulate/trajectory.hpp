// Motions with exact q, q̇, q̈ at any time, as values: copy them, use them from many threads.
//
//   Fourier series   q_j = Σ_l a_lj/(lω) sin(lωt) − b_lj/(lω) cos(lωt) + q0_j      (so a, b are velocities)
//   multi-sine       q_j = c_j + Σ_k A_kj sin(ω_k t + φ_kj)
//   point to point   q = from + s(t) (to − from), all joints together; s̈ is a trapezoid up, a trapezoid down
//   sampled          through given samples: cubic spline, or quintics when q̇ and q̈ are given too
//   rest to rest     a quintic from rest onto a Fourier series, the series, a quintic back to rest
//
// Times begin at 0. Series continue before 0 and after the end; the others keep the state of their ends.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/log/run.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct FourierSeries {
  double omega = 0;     // ω of the first harmonic [rad/s]
  MatrixXd a;           // harmonics × joints
  MatrixXd b;           // harmonics × joints
  VectorXd q0;          // joints
  double duration = 0;  // [s]; 0: one period
};

// A series with a quintic before and behind it; q, q̇, q̈ are continuous. Where an end is not given, the
// quintic is the one with the least ∫ jerk²: the robot rests at q ∓ q̇ lead/2 + q̈ lead²/12 off the series'
// end.
struct RestToRest {
  FourierSeries series;
  double lead = 1;  // [s] of each quintic
  VectorXd start;   // joints, or empty
  VectorXd finish;  // likewise
};

struct MultiSine {
  VectorXd omega;       // ω_k [rad/s], one per sine
  MatrixXd amplitude;   // sines × joints
  MatrixXd phase;       // sines × joints
  VectorXd center;      // joints
  double duration = 0;  // [s]
};

// From rest to rest through the points. Every move is as fast as the limits let the slowest joint be; the
// others keep its time (a straight line in joint space). Lists: one number for all joints, or one per joint.
struct PointToPoint {
  std::vector<VectorXd> points;
  VectorXd velocity;
  VectorXd acceleration;
  VectorXd jerk;   // empty: 10 s⁻¹ times the acceleration, that is ramps of 0.1 s
  VectorXd dwell;  // [s] at the points: empty (none), one for all, or one per point
  // [s] of the moves, one for all or one per move, instead of limits: a third of it speeding up, a third at
  // constant velocity 1.5 |distance|/time, a third slowing down, largest acceleration 5.625 |distance|/time².
  VectorXd time;
};

// Stamps increase strictly. Without qd and qdd: cubic spline with second derivatives that are continuous
// (not-a-knot ends), q̇ off by h³ and q̈ by h² for stamps h apart; four samples at least. With both: quintics
// that meet all three; two samples at least.
struct SampledMotion {
  VectorXd time;  // samples; the first one becomes time 0
  MatrixXd q;     // samples × joints
  MatrixXd qd;    // likewise, or empty
  MatrixXd qdd;
};

// The channel position of a run, and velocity and acceleration when both are there.
SampledMotion sampled_motion(const Run& run);

struct JointState {
  VectorXd q;
  VectorXd qd;
  VectorXd qdd;
};

struct MotionShape;

class Trajectory {
 public:
  // All throw InputError for wrong sizes, numbers that are not finite, limits that are not positive.
  Trajectory(const FourierSeries& series);
  Trajectory(const MultiSine& sines);
  Trajectory(const PointToPoint& moves);
  Trajectory(const SampledMotion& samples);
  Trajectory(const RestToRest& motion);

  Index joints() const;
  double duration() const;  // [s]

  // Joint j at time[s] goes to q[j * stride + s], likewise qd and qdd. The bytes do not depend on `count`.
  void evaluate(const double* time, Index count, double* q, double* qd, double* qdd, Index stride) const;

  JointState at(double time) const;

 private:
  std::shared_ptr<const MotionShape> shape_;
};

// Random multi-sines within a reach.
//
//   q_j = c_j + κ_j Σ_{l=1…L} n_lj/√l · sin(2πl t/period + φ_lj)
//
// with n standard normal, φ uniform. κ_j is the largest factor with |q_j − c_j| ≤ reach_j and, where limits
// are given, |q̇_j| and |q̈_j| within them. Extremes are taken on 256 L points a period: by Bernstein's
// inequality they are at most 7.6e-5 too small, and κ_j is smaller by that share, so that the bounds hold
// everywhere.

struct RandomMotion {
  int harmonics = 3;
  double period = 10;   // [s]
  double duration = 0;  // [s]; 0: one period
  VectorXd center;      // one per joint
  VectorXd reach;       // one for all joints, or one per joint; > 0
  VectorXd velocity;    // limits: none, one, or one per joint; may be infinite
  VectorXd acceleration;
};

// Joint j draws from its own stream: more joints do not change the first ones. Throws InputError.
MultiSine random_multi_sine(const RandomMotion& options, std::uint64_t seed);

}  // namespace steelyard
