// The body that each link is compared with where efforts do not determine it.
//
//   file       the robot's own file, where it gives a possible body
//   repaired   the nearest possible body to what the file gives: no eigenvalue of the scaled pseudo-inertia
//              below 1e-3 of the largest
//   uniform    a cylinder from the link's joint to the joints it carries, all of one radius (a fifth of the
//              mean length of the links that have one) and one density
//   data       of robots without lengths (a pendulum, a pan-tilt head): a rod with the first moment and the
//              moment of inertia that were seen
//
// The density is the one whose efforts fit best, friction and other columns being free; a known total mass of
// the robot fixes it instead.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/feasible/objective.hpp"

namespace steelyard::inline STEELYARD_ABI {

enum class ReferenceKind { file, repaired, uniform, data };
const char* to_string(ReferenceKind kind);

struct Reference {
  VectorXd x;  // in the order of the quantities, zero for columns that belong to no link
  std::vector<ReferenceKind> links;

  double mass() const;  // of all links [kg]
};

struct ReferenceOptions {
  bool file = true;  // false: uniform bodies, whatever the robot's file gives
  std::optional<double> total_mass;
};

// Of the robot alone, to scale problems: uniform bodies are round, of the link's size and the density of water.
Reference reference_bodies(const Robot& robot, const Quantities& quantities,
                           const ReferenceOptions& options = {});
// Fitted to the squares of an objective without pulls.
Reference reference_bodies(const Robot& robot, const Quantities& quantities, const Objective& objective,
                           const ReferenceOptions& options = {});

}  // namespace steelyard
