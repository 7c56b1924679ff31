// Causes of a difference: what each would take from a robot's residual.
#pragma once

#include <string>
#include <vector>

#include "fleet/scatter.hpp"
#include "steelyard/core/abi.hpp"
#include "steelyard/fleet/compare.hpp"

namespace steelyard::inline STEELYARD_ABI {

// A cause that can be tested: numbers c with the effect `span` · v(c) on [parameters | gains].
struct Suspect {
  CauseKind kind = CauseKind::gain;
  std::string of;     // link or joint
  MatrixXd span;      // (parameters + rows) × numbers; × 10 for a mass
  int numbers = 1;    // that are free
  double length = 0;  // of the link, for a mass
  VectorXd whole;     // friction: the fleet's own, for relative amounts; one number per column of span
  double min_amount = -kInfinity, max_amount = kInfinity;  // that are physically possible
};

std::vector<Suspect> suspects(const FleetInput& input, const VectorXd& fleet);

// The best fit of a suspect to a robot.
struct Trial {
  double gain = 0;    // Δ
  double amount = 0;  // as in Cause
  double sigma = 0;
  Vector3 at = Vector3::Zero();
  VectorXd effect;      // on [parameters | gains]
  MatrixXd directions;  // that it uses up, for the search of a second cause
};
Trial try_suspect(const Suspect& suspect, const Reduced& robot);

// Δ less what its numbers cost.
double worth(double gain, int numbers, double rows);

// No lighter than nothing, no heavier than some robots, a gain of one half of the fleet's but not of a
// thousandth.
bool is_plausible(const Suspect& suspect, const Trial& trial);

// What is left when the directions are free.
Reduced without(const Reduced& robot, const MatrixXd& directions);

// "link 'forearm' is heavier by 0.41 kg".
std::string describe(const Suspect& suspect, const Trial& trial, const std::string& unit);

}  // namespace steelyard
