// Exported files read by the programs they are for.
//
//   mjcf   MuJoCo            urdf   MuJoCo, DART            sdf   DART
//
// Compared are the efforts of all joints at seeded states within the limits: bodies, viscous friction and, in
// MJCF, rotor inertia. Dry friction is a constraint in both programs and is compared apart. Of a URDF,
// shapes, materials, transmissions and plug-ins are removed before it is read: they need files that may be
// missing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/export/model.hpp"

namespace steelyard::inline STEELYARD_ABI {

// Dry friction of an engine against fc sign(q̇): largest differences as shares of fc over the states, and
// over the same with 1 % of their velocities.
struct DryFriction {
  double fast = 0;
  double slow = 0;
};

struct ReadBack {
  std::string reader;
  double error = 0;     // largest difference over the largest effort
  std::string refusal;  // why it did not read the file; empty: it did
  std::optional<DryFriction> dry_friction;
};

// By the programs that are installed. `joints`: names in the file, in the order of the model's joints.
std::vector<ReadBack> read_by_engines(const std::string& format, const std::string& text,
                                      const ExportModel& model, const std::vector<std::string>& joints);

}  // namespace steelyard
