// What was written against what was meant, by the efforts of both.
#pragma once

#include <string>
#include <vector>

#include "steelyard/engines/engine.hpp"
#include "steelyard/export/model.hpp"
#include "steelyard/export/read_back.hpp"
#include "steelyard/robot/inertia.hpp"

namespace steelyard::inline STEELYARD_ABI {

// Parts of a joint's effort that a format has words for, beside the bodies and viscous friction.
struct CarriedParts {
  bool rotors = false;
  bool coulomb = false;
};

// Efforts of all joints, mimic joints too, each on its own.
VectorXd carried_effort(const ExportModel& model, const CarriedParts& parts, const ExportState& state);

// Largest difference over export_states of a robot whose joints may stand in another order (by name), over
// the largest effort.
double effort_error(const ExportModel& read, const ExportModel& model, const CarriedParts& parts);

// The same of an engine that has read the file itself. `joints`: its names of the model's joints.
double engine_error(Engine& engine, const ExportModel& model, const CarriedParts& parts);

// The engine's dry friction of the file; none: the model has none, or the engine.
std::optional<DryFriction> dry_friction_error(Engine& engine, const ExportModel& model);

// A pose as steps: moves, then yaw, pitch, roll.
Steps pose_steps(const Pose& pose);

}  // namespace steelyard
