// Checks of a table: the robot's own kinematics, one set of bodies behind g and M, the
// right units and the right order of joints and entries.
//
// A table that least squares does not explain is tested under other readings: positions in degrees, joints
// exchanged (all columns, or positions only), in reverse order, the triangle read by columns, gravity with
// the other sign, rotor inertias in M. The reading that explains it at least ten times better is reported.
//
// Kinematics: a Jacobian may belong to another point of the tool and to base or tool axes; both are fitted
// (a constant turn and a constant offset) before it is compared.
//
// Gravity and inertia: the factor s in g = s Y_g π with which both agree best. 9.80665 instead of 9.81 gives
// s = 0.99966, another sign −1, kN·mm 1e-3.
#pragma once

#include <optional>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/core/finding.hpp"
#include "steelyard/reverse/fit.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct KinematicsCheck {
  bool tool_axes = false;            // otherwise base axes
  Vector3 offset = Vector3::Zero();  // of the point from the tool frame's origin, in tool axes [m]
  double angular = 0;                // largest error [rad per rad or m]
  double linear = 0;                 // largest error [m per rad or m]
  int worst_joint = 0;               // index
};

// Throws InputError for tables without Jacobian.
KinematicsCheck check_kinematics(const Robot& robot, const ReverseTable& table);
std::vector<Finding> examine(const Robot& robot, const KinematicsCheck& check);

struct GravityScale {
  double scale = 1;       // s
  double apart = 0;       // RMS residual of gravity and inertia fitted apart, in the weights of the fit
  double together = 0;    // in one base with s = 1
  double with_scale = 0;  // in one base with the best s
};

// Nothing for tables without both, or with too few entries.
std::optional<GravityScale> compare_gravity(const Robot& robot, const ReverseTable& table,
                                            const ReverseOptions& options = {});
std::vector<Finding> examine(const GravityScale& scale);

// Findings of the fit: too few configurations, and other readings when it does not explain the table.
std::vector<Finding> examine(const Robot& robot, const ReverseTable& table, const ReverseFit& fit,
                             const ReverseOptions& options = {});

}  // namespace steelyard
