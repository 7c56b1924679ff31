// Does friction drift within a run: a gear that warms up, a brake that drags?
//
// Joint by joint the coarse rows are fitted by least squares, and of one run at a time two terms more:
//   τ_j = Y_j π + c₀ + c₁ x + a x F(q̇),    x = (t − t_mid) / (t_end − t_begin),    F = fv q̇ + fc sign(q̇) of the fit
// c is the run's own offset and its drift: sensors drift, too. a is by how much of itself the friction changes over
// the run. With M what takes out all columns but the last,
//   s = M x F,   e = M τ_j,   a = s·e / s·s,   u = e − a s
// its standard deviation is that of the residual, summed over sixteenths of the run, as of a jump (doctor/jump.hpp):
//   σ² = Σ_b (Σ_{i in b} s_i u_i)² / (s·s)² · 16 / (16 − 4)        4: offset, its drift, and the friction's two terms
// A drift is reported when |a| is more than `deviations` σ and `share`, below `largest`, when the effort that it moves,
// the rms of a x F, is more than `effort` of the joint's rms effort, and when it explains more than `explained` of what the
// fit leaves of the run, 1 − u·u / e·e: a form of friction that is missing leaves more than it resembles a drift.
#pragma once

#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/core/finding.hpp"
#include "steelyard/doctor/trial.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct DriftOptions {
  double deviations = 6;
  double share = 0.1;
  double largest =
      1;  // from half as much again to half: beyond it the model is wrong rather than the drive warm
  double effort = 0.005;
  double explained = 0.2;
};

// Of the friction of one joint in one run.
struct FrictionDrift {
  int joint = 0;
  std::size_t run = 0;   // of the trial
  double share = 0;      // a: its change over the run, as a share of itself
  double deviation = 0;  // of a
  double duration = 0;   // [s] of the run
  double effort = 0;     // rms of what drifts over the rms effort
  double explained = 0;
};

// Runs with fewer than 64 rows of a joint are left out, and joints whose fit has no friction that opposes the motion.
std::vector<FrictionDrift> examine_friction_drift(const Trial& trial);

bool is_clear(const FrictionDrift& drift, const DriftOptions& options = {});
Finding drift_finding(const FrictionDrift& drift, const Robot& robot);

}  // namespace steelyard
