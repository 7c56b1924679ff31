// Several parameter sets on the same runs: Newton-Euler efforts, their mean square errors, and the internal
// forces and moments of the joints.
//
//   τ̂ = newton_euler(π; q, q̇, q̈) + Ia q̈ + fv q̇ + fc sign(q̇) + fo,     MSE_j = mean of (τ_j − τ̂_j)²
//
// Sets with equal base parameters have equal efforts but not equal internal forces: a mass that no motion
// identifies still loads the joint below. Feasible sets keep internal forces in the order of the real ones;
// infeasible ones may be off by any factor (Panda paper, supplement, Fig. 10).
#pragma once

#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/dynamics/dynamics.hpp"
#include "steelyard/regressor/base.hpp"

namespace steelyard::inline STEELYARD_ABI {

// Friction and rotors are per joint; empty: none.
struct ParameterSet {
  std::string name;
  VectorXd parameters;  // 10 per link
  VectorXd viscous, coulomb, offset, rotor_inertia;
};

// Of all standard parameters with these base parameters the smallest, K⁺ π_b: the minimum-norm solution
// without constraints, seldom physically possible. Drive columns of the base are left out.
VectorXd smallest_parameters(const Robot& robot, const BaseParameters& base, const VectorXd& values);

// Samples × joints.
struct MotionSamples {
  std::string label;
  MatrixXd q, qd, qdd;
  MatrixXd torque;  // measured; may be empty for inner forces
  VectorXd time;    // [s]; may be empty
};

// Five seconds of sinusoids in steps of 0.01 s, every joint at its own rate, within its limits: for robots
// without a log.
MotionSamples sinusoidal_motion(const Robot& robot);

// Efforts of one set, samples × joints. Throws InputError for sizes that do not fit.
MatrixXd predicted_torque(const Tree& tree, const ParameterSet& set, const MotionSamples& motion);

struct MeanSquareErrors {
  std::vector<std::string> sets;
  std::vector<std::string> runs;
  MatrixXd total;                // sets × joints, over all samples of all runs [(N·m)²]
  std::vector<MatrixXd> by_run;  // one per run, sets × joints

  // A table as text, one line per set.
  std::string to_text() const;
};

MeanSquareErrors mean_square_errors(const Tree& tree, const std::vector<ParameterSet>& sets,
                                    const std::vector<MotionSamples>& runs);

// What the joints carry inside along a motion. A wrench is force and moment about the origin of the link's frame, in
// its axes: fx fy fz mx my mz of joint j begin at column 6 j.
struct WrenchCurves {
  std::string set;
  MatrixXd wrench;  // samples × 6 joints [N, N·m]
  MatrixXd torque;  // samples × joints, drives included
};
std::vector<WrenchCurves> wrench_curves(const Tree& tree, const std::vector<ParameterSet>& sets,
                                        const MotionSamples& motion);

struct WrenchExtremes {
  std::string set;
  VectorXd force;         // largest ‖force‖ each joint carries [N]
  VectorXd moment;        // largest ‖moment‖ about the link frame's origin [N·m]
  VectorXd torque_error;  // largest |τ̂ − τ̂ of the first set| [N·m]
};

// The first set is the reference of `torque_error`.
std::vector<WrenchExtremes> extremes_of(const std::vector<WrenchCurves>& sets);
std::vector<WrenchExtremes> compare_wrenches(const Tree& tree, const std::vector<ParameterSet>& sets,
                                             const MotionSamples& motion);

}  // namespace steelyard
