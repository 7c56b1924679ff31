// What a robot is: a tree of moving links with names, geometry, limits, drives and known masses.
//
// Link i is the body moved by joint i; both share one index, parents come before children. The pose of link
// i's frame in its parent's link frame is
//
//   T_i(q) = pose(before_i) · motion(axis_i, q_i) · pose(after_i)
//
// with motion a turn about (revolute) or a move along (prismatic) `axis`, a unit vector in the joint frame.
//   modified DH   before = Rx(alpha) Tx(a) Tz(d) Rz(theta),  axis = z, after = 1            (joint axis = own
//   z) standard DH   before = Rz(theta),                        axis = z, after = Tz(d) Tx(a) Rx(alpha) URDF
//   before = origin,                           axis as given, after = 1
// The ten parameters of link i are expressed in the frame of link i, as the user's DH table or URDF defines
// it. Fixed joints do not appear: readers merge them and carry their inertia over.
#pragma once

#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/robot/inertia.hpp"

namespace steelyard::inline STEELYARD_ABI {

enum class JointKind { revolute, prismatic };

struct Limits {
  double lower = -kInfinity;  // rad or m
  double upper = kInfinity;
  double velocity = kInfinity;
  double acceleration = kInfinity;
  double effort = kInfinity;
};

// Drive columns that the robot file declares for a joint; studies may add more.
struct DriveTerms {
  bool viscous = false;        // fv q̇
  bool coulomb = false;        // fc sign(q̇)
  bool offset = false;         // fo
  bool rotor_inertia = false;  // Ia q̈
};

// Interval for a parameter, by machine name of the link's own quantities: "m", "cx", "mx", "Jxx", "Ixx",
// "fv", …
struct ParameterBound {
  std::string parameter;
  double lower = -kInfinity;
  double upper = kInfinity;
};

struct Joint {
  std::string name;
  std::string link;  // name of the moved body
  JointKind kind = JointKind::revolute;
  int parent = -1;  // index of the parent link, −1: the base
  Steps before;
  Vector3 axis = Vector3::UnitZ();
  Steps after;
  Limits limits;
  DriveTerms drive;
  std::optional<Inertia> inertia;  // not given: absent
  std::vector<ParameterBound> bounds;
};

// q[joint] = ratio · q[master] + offset (URDF mimic). The joint is not an independent coordinate: its effort
// acts on the master's with the same ratio.
struct Mimic {
  int joint = -1;
  int master = -1;
  double ratio = 1;
  double offset = 0;
};

// Two joints whose motors are coupled (a wrist): three more columns named after `partner` (1-based number p):
//   Iam<p>: q̈_partner on the joint's row, q̈_joint on the partner's;  fvm<p>: the same with q̇;
//   fcm<p>: sign(q̇_joint + q̇_partner) on both rows.
// Source: drive-gain paper, eq. (25).
struct CoupledPair {
  int joint = -1;
  int partner = -1;
};

// Motor side and joint side: q_motor = matrix · (q − zero), τ = matrixᵀ τ_motor, over the independent joints.
// Empty matrix: none given.
struct Transmission {
  MatrixXd matrix;
  VectorXd zero;  // joint angle where the motors read zero

  bool is_given() const { return matrix.size() > 0; }
};

struct Robot {
  std::string name;
  std::vector<Joint> joints;
  std::vector<Mimic> mimics;
  std::vector<CoupledPair> pairs;
  Transmission transmission;
  Vector3 gravity = Vector3(0, 0, -9.81);  // in the frame in which the base pose is given [m/s²]
  Steps base;                              // pose of the robot's base frame
  Steps tool;                              // pose of the tool frame in `tool_link`'s frame
  int tool_link = -1;                      // −1: the last link
  std::string base_link;                   // name of the body that does not move

  int size() const { return static_cast<int>(joints.size()); }                 // moving links
  int dof() const { return static_cast<int>(joints.size() - mimics.size()); }  // independent coordinates
  int index_of(const std::string& joint_or_link) const;                        // −1: absent
};

// Throws InputError when a rule of the struct is violated (parent order, axis length, limits, finite numbers,
// couplings that name no joint, singular transmission). Readers call it; call it for a Robot built by hand.
void validate(const Robot& robot);

// All ten parameters of all links, 10·size(); throws InputError naming the links that have none.
VectorXd standard_parameters(const Robot& robot);

// Machine names: "m1" … "Jzz7"; 10·size() of them.
std::vector<std::string> standard_parameter_names(const Robot& robot);

// q_all = matrix · q_independent + offset, for robots with mimic joints (identity otherwise).
struct Coordinates {
  MatrixXd matrix;
  VectorXd offset;
  std::vector<int> joints;  // index of the joint of each independent coordinate
};
Coordinates coordinates(const Robot& robot);

// Length of the link: the largest distance between its frame's origin and its own joint, the joints it
// carries and the tool (on the tool link), at least 1 cm. Used as natural scale.
VectorXd link_lengths(const Robot& robot);

// The same robot with some joints standing still: a mobile manipulator whose log is of one arm, a gripper
// that was closed all the time.
//
//   pose of a held link in its parent's frame = before · motion(axis, held position) · after,   fixed
//
// A held link becomes part of the link that carries it, inertia included; on the base it disappears. Mimic
// joints follow their master: they move when it does. Only statics and dynamics of the joints that move are
// kept: bounds and limits of held joints are gone.

// `moving` by joint name; all others are held, at the given positions [rad or m] or at zero. Throws
// InputError for names that are not there, moving mimic joints, and robots with a transmission between joints
// of both kinds.
Robot hold_joints(const Robot& robot, const std::vector<std::string>& moving,
                  const std::map<std::string, double>& positions = {});

// The link that carries the tool.
int tool_link(const Robot& robot);

// Ten parameters of a load in the tool frame to ten in the frame of the tool link: a 10 × 10 matrix.
MatrixXd load_to_link(const Robot& robot);

}  // namespace steelyard
