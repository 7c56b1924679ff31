// What a study says of drives beyond terms for all joints: forms of friction, joints that differ, offsets of
// single runs, further columns and known efforts as expressions (docs/friction.md).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/estimate/friction.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

struct FrictionSpec {
  bool automatic = false;  // linear, sigmoid or stribeck, by held-out blocks
  FrictionForm form = FrictionForm::linear;
  bool viscous = false;
  bool coulomb = false;
  bool offset = false;

  bool is_linear() const { return !automatic && form == FrictionForm::linear; }
};

struct JointDriveSpec {
  std::optional<FrictionSpec> friction;  // instead of that of all joints and of the robot file
  std::optional<bool> rotor_inertia;
  Place place;
};

// A column, or an effort, of one joint as an expression: q, qd, qdd of the joint itself, q1, qd1, qdd1, … of
// all joints.
struct EffortExpression {
  std::string name;
  std::string joint;
  std::string text;
  Place place;
};

struct DriveSpec {
  std::optional<FrictionSpec> friction;  // of all joints, when it is not linear
  std::map<std::string, JointDriveSpec> joints;
  bool offset_per_run = false;
  std::vector<EffortExpression> columns;  // of the regressor
  std::vector<EffortExpression> known;    // subtracted from the measured effort
};

}  // namespace STEELYARD_ABI
}  // namespace steelyard
