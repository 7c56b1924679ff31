// Choices of an estimate: forms of friction, weights of single rows, essential parameters, intervals.
#pragma once

#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"

namespace steelyard::inline STEELYARD_ABI {

// Friction of a joint (docs/friction.md):
//   linear      fv q̇ + fc sign(q̇) + fo
//   asymmetric  fv q̇ + fp (q̇ > 0) − fn (q̇ < 0)                    the span of fc and fo, other names
//   sigmoid     fv q̇ + fo + fh s(q̇),  s = 1/(1 + e^(−φ2 (q̇ + φ3))) − 1/(1 + e^(−φ2 φ3)),  φ1 = fh
//   stribeck    fv q̇ + fc sign(q̇) + fo + fs sign(q̇) e^(−(q̇/vs)²)
enum class FrictionForm { linear, asymmetric, sigmoid, stribeck };
const char* to_string(FrictionForm form);

// What the gear takes of the effort τ_load that passes through it, beside any form, with S = tanh(q̇/vl) or
// sign(q̇):
//   load              μ |τ_load| S(q̇)
//   load_directional  the same with μd where the gear drives its load (τ_load q̇ > 0), μb where it is driven
enum class LoadFriction { none, load, directional, stribeck };
const char* to_string(LoadFriction load);

struct RobustOptions {
  double huber = 1.345;  // c: 95 % of the efficiency of least squares for normal errors
  double far = 10;       // rows beyond this many σ have weight 0; infinite: none
  int max_passes = 12;
  double tolerance = 0.05;  // change of all values in σ at which passes end

  void validate() const;  // throws InputError
};

struct EssentialOptions {
  double ratio = 30;
  std::vector<std::string> keep;  // never eliminated

  void validate() const;  // throws InputError
};

enum class IntervalMethod { classical, bootstrap };
const char* to_string(IntervalMethod method);

}  // namespace steelyard
