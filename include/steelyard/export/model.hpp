// What is exported: a robot with its identified parameters.
//
//   τ = Y(q, q̇, q̈) π + Ia q̈ + τ_f(q̇, Y π) + pairs       as simulate/drives.hpp has it
//
// π are ten parameters per link. Formats that describe bodies (URDF, SDF, MJCF) need feasible ones; C code
// also accepts the base parameters, each in its lead column and zero elsewhere: Y π is the same.
#pragma once

#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/dynamics/dynamics.hpp"
#include "steelyard/robot/robot.hpp"
#include "steelyard/simulate/drives.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct ExportModel {
  Robot robot;
  TrueParameters parameters;
};

// Effort of all joints, mimic joints reduced to their masters: the reference of every export.
VectorXd model_effort(const ExportModel& model, const VectorXd& q, const VectorXd& qd, const VectorXd& qdd);
// The same of many samples of the coordinates (`given`: accelerations), samples × coordinates.
MatrixXd model_efforts(const ExportModel& model, const DynamicsSamples& samples);

// Efforts between which the robot stays at rest at q, joint by joint: what its bodies need there, and dry
// friction. Friction of coupled drives counts for each of their joints alone.
struct RestBands {
  VectorXd low, high;
};
RestBands rest_bands(const ExportModel& model, const VectorXd& q);

// States within the limits of the robot (±π, ±1 where there are none), seeded.
struct ExportState {
  VectorXd q, qd, qdd;
};
std::vector<ExportState> export_states(const Robot& robot, int count, std::uint64_t seed = 1);

// What a format cannot express, with the largest missing effort over export_states.
struct NotCarried {
  std::string joint;
  std::string what;
  double effort = 0;  // [N·m or N]
};

}  // namespace steelyard
