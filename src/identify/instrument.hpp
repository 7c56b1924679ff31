// Instruments for a run: the regressor of a simulated motion.
//
//   reference   the measured positions of the whole run, low-passed (zero phase) at `cutoff`, differentiated
//   simulated   the robot with the current parameters in closed loop (simulate/closed_loop.hpp) on it
//   columns     iv:c = column c of the regressor at the simulated q, q̇, q̈, then filtered like every column
//
// The simulation uses no measured effort and no measured velocity: noise enters through the reference alone.
// What passes its low-pass is what remains of the encoder's noise (docs/estimate.md). Where the current
// parameters have no positive definite mass matrix, the reference itself replaces the simulated motion.
//
// Memory: six numbers per joint and sample of all runs, for reference and simulated motion.
#pragma once

#include <memory>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/estimate/instrument.hpp"
#include "steelyard/fold/layout.hpp"
#include "steelyard/identify/setup.hpp"
#include "steelyard/log/prepare.hpp"
#include "steelyard/regressor/plan.hpp"
#include "steelyard/robot/robot.hpp"
#include "steelyard/simulate/drives.hpp"
#include "steelyard/study/sections.hpp"

namespace steelyard::inline STEELYARD_ABI {

// One row per sample of the run's grid, one column per independent joint.
struct InstrumentMotion {
  UniformGrid grid;
  MatrixXd q, qd, qdd;
  bool simulated = false;
  double worst_error = 0;  // largest |reference − simulated|
};

// Cut-off of the reference: that of the spec, or 0.4 of the lowest one the run is filtered with; a run
// without filter: a fortieth of its rate.
double reference_cutoff(const Preparation& preparation, const InstrumentSpec& spec);

// Reads the run once.
InstrumentMotion reference_motion(PreparedRun& run, double cutoff);

// Parameters for a simulation from values of the plan's columns: what is not a column is zero, Coulomb
// friction below zero as well.
TrueParameters simulation_parameters(const Robot& robot, const Plan& plan, const VectorXd& values);
// The same with the forms of friction that were fitted; heights below zero are zero.
TrueParameters simulation_parameters(const Setup& setup, const Estimate& estimate);

InstrumentMotion follow(const Robot& robot, const TrueParameters& parameters,
                        const InstrumentMotion& reference, double bandwidth);

// Instruments of the plan's columns and of the extra ones that the pass folds.
ExtraColumns instrument_columns(const Plan& plan, const std::vector<ExtraColumns>& extra,
                                std::shared_ptr<const InstrumentMotion> motion);

}  // namespace steelyard
