// Where the robot may be: half-spaces and boxes for the tool, capsules for the links.
//
// All in the robot's base frame [m]. A capsule is all points within `radius` of a segment that is fixed to a
// link. Two capsules are kept apart unless they sit on the same link or on neighbours; pairs that touch
// whatever the pose (a wrist whose links lie inside each other) are omitted and reported.
//
// Distances are signed (a tool inside a box is at minus its depth) and differentiable but where the closest
// points jump; they are those of the shapes as given: real links need capsules that contain them.
#pragma once

#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/robot/robot.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

struct HalfSpace {
  std::string name;
  Vector3 normal = Vector3::UnitZ();  // any length but zero
  double least = 0;                   // normal · p ≥ least, with the normal's length one
};

struct KeepOutBox {
  std::string name;
  Vector3 lower = Vector3::Zero();
  Vector3 upper = Vector3::Zero();
};

struct Capsule {
  std::string name;
  int link = -1;  // −1: the base
  Vector3 from = Vector3::Zero();
  Vector3 to = Vector3::Zero();
  double radius = 0;
};

struct Workspace {
  std::vector<HalfSpace> half_spaces;
  std::vector<KeepOutBox> boxes;
  std::vector<Capsule> capsules;
  std::vector<Vector3> tool_points;  // in the tool frame; none: its origin
  double clearance = 0;              // [m] to be kept from everything

  bool is_empty() const { return half_spaces.empty() && boxes.empty() && capsules.empty(); }
  void validate(const Robot& robot) const;  // throws InputError
};

HalfSpace table_at(double height);

// One capsule per link, from its origin to the next joint's (the tool's on the tool link); links without
// length get a ball.
std::vector<Capsule> skeleton_capsules(const Robot& robot, double radius);

}  // namespace STEELYARD_ABI
}  // namespace steelyard
