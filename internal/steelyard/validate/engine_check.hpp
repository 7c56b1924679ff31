// A logged motion in a physics engine: do other simulators agree with the identified robot?
//
//   measured   effort of the log without drives (friction, rotors) and known efforts, filtered
//
//   engine     effort the engine's bodies take for the same motion, through the same filter
//
//   error      measured − engine: mean and RMS of each joint
//
//   ours       RMS of (engine − Newton and Euler) over the RMS effort, nothing measured
//
//   followed   the engine's robot gets the measured effort and a soft PD: where does its tool go?
//
//   commanded  the same robot's joints have motors without limits that are told velocities or positions every
//              `command_step`, as in the published validation: where does its tool go?
//
//   heavier    the same efforts and gains, all bodies 20 % heavier
//
// Gains: one Kp for all joints of a kind, ω² times the largest inertia that one feels, ω = 2π bandwidth, and
// Kd = 2 √(Kp m_j) with m_j the mean of 1 / (M⁻¹)_jj over the motion.
//
// The motion is a cubic spline through the positions of the log as it was prepared, so that velocities and
// accelerations belong to them. Mimic joints move as their masters; robots that have some are neither followed nor
// commanded, since an engine's bodies would not keep the ratio. Roll, pitch and yaw are those of the rotation from the
// wanted to the tool's orientation, about the base's axes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/engines/engine.hpp"
#include "steelyard/log/low_pass.hpp"
#include "steelyard/robot/robot.hpp"
#include "steelyard/simulate/drives.hpp"
#include "steelyard/validate/residuals.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct EngineLog {
  std::string run;
  double step = 0;                // [s] between samples
  MatrixXd position;              // samples × coordinates, prepared
  MatrixXd effort;                // likewise, as measured, without known efforts
  std::optional<LowPass> filter;  // of efforts
  Index trim = 0;                 // samples at both ends that are not compared
};

struct EngineCheckOptions {
  double drive_step = 1e-4;  // [s] of engines whose joints are driven
  double follow_step = 1e-3;
  double command_step = 5e-3;
  double bandwidth = 1.5;    // [Hz] of the feedback
  double heavier = 1.2;      // all bodies
  double pose_every = 0.02;  // [s] between poses that are compared
};

// `parameters`: physically feasible links, with their drives. Throws MachineError when the engine is not
// installed.
EngineCheck check_engine(EngineKind kind, const Robot& robot, const TrueParameters& parameters,
                         const EngineLog& log, const EngineCheckOptions& options = {});

}  // namespace steelyard
