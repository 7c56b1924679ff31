// A base that is not level: the direction of gravity from a table of g(q).
//
//   g(q) = Σ_k γ_k G_k(q) p,   γ = R(t) γ₀,  |γ| known,   t ⟂ γ₀ (two angles)
//
// Found by variable projection on the gravity rows (first moments p are eliminated) and Gauss-Newton on t.
// The scale of gravity cannot be determined from first moments here; g and M together show it (examine.hpp).
// Turning the base about γ₀ itself changes nothing. Standard deviations are those of independent entries.
#pragma once

#include "steelyard/core/abi.hpp"
#include "steelyard/reverse/fit.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct Tilt {
  Vector3 gravity = Vector3::Zero();   // γ, in the frame in which the robot's is given [m/s²]
  Vector3 rotation = Vector3::Zero();  // t: axis × angle [rad] by which gravity is turned; the base is turned
                                       // the other way
  double angle = 0;                    // |t|
  double sigma = 0;                    // the larger of the standard deviations of the two angles
  double residual = 0;                 // RMS of the gravity entries, tilted
  double residual_level = 0;           // as the robot's file has it
  int iterations = 0;
  bool converged = false;
};

// Throws InputError for tables without gravity, robots without gravity and too few entries.
Tilt estimate_tilt(const Robot& robot, const ReverseTable& table, const ReverseOptions& options = {});

}  // namespace steelyard
