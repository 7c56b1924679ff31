// A robot compiled to numbers: what every dynamics function and regressor kernel reads.
//
// For a revolute joint the pose of link i in its parent is affine in (cos q, sin q):
//   R(q) = R0 + Rc cos q + Rs sin q,   p(q) = p0 + pc cos q + ps sin q
// for a prismatic one R = R0, p = p0 + pc q (Rc = Rs = ps = 0).
// The joint's twist per unit velocity, in link i's own frame and about its origin, is constant: angular `z`,
// linear `v` (revolute with own axis at the origin: v = 0; prismatic: z = 0).
#pragma once

#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/robot/robot.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

struct TreeJoint {
  int parent = -1;
  bool prismatic = false;
  Matrix3 R0, Rc, Rs;
  Vector3 p0, pc, ps;
  Vector3 z, v;
  std::vector<int> path;  // joints from the root to this one, itself included

  Pose pose(double q) const;  // T_parent,link
};

struct Tree {
  std::vector<TreeJoint> joints;
  Vector3 gravity;  // in the base frame
  Pose base;        // pose of the base frame in the frame gravity was given in
  Pose tool;        // T_link,tool
  int tool_link = -1;

  int size() const { return static_cast<int>(joints.size()); }
};

Tree compile(const Robot& robot);

}  // namespace STEELYARD_ABI
}  // namespace steelyard
