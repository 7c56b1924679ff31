// From joint states to the efforts that a log shows: bodies and load by inverse dynamics, drives, couplings,
// then torque, motor torque or current.
#pragma once

#include <vector>

#include "steelyard/dynamics/dynamics.hpp"
#include "steelyard/regressor/plan.hpp"
#include "steelyard/robot/robot.hpp"
#include "steelyard/simulate/drives.hpp"
#include "steelyard/simulate/simulate.hpp"

namespace steelyard::inline STEELYARD_ABI {

class EffortModel {
 public:
  EffortModel(const Robot& robot, const TrueParameters& parameters, const SimulateOptions& options);

  // Effort of coordinate j of sample s to effort[j * stride + s], with the samples' stride.
  void evaluate(const Samples& samples, double* effort) const;

 private:
  void add_load_friction(const Samples& samples, double* effort) const;
  void add_drives(const Samples& samples, double* effort) const;
  void to_channel(Index stride, Index count, double* effort) const;

  Coordinates coordinates_;
  DynamicsPlan bodies_;  // load included
  std::vector<Drive> drives_;
  std::vector<CoupledPair> coupled_;
  std::vector<PairDrive> pairs_;
  MatrixXd channel_;  // logged effort = channel · τ; empty: τ itself
};

}  // namespace steelyard
