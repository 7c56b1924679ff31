// The most informative static configurations: where to evaluate a source of g(q) and M(q), or to measure at
// rest.
//
//   maximise  log det Σ_k Y_b(q_k)ᵀ Y_b(q_k)     over q_1 … q_N within the limits, columns scaled to norm one
//
// Greedy choice from random candidates, exchanges, then one joint at a time along a grid that is halved until
// there is no gain: a local optimum of the best start, the same for the same seed. Poses are within the
// limits; paths between them are not considered. Random configurations are already good: with many of them
// the determinant increases by about 5 %; the gain is in small sets, where random ones leave some combination
// poorly determined.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/regressor/base.hpp"
#include "steelyard/robot/robot.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct ConfigurationOptions {
  Index count = 10;
  RowSet rows = RowSet::gravity_inertia;  // torque: as gravity
  Index candidates = 300;
  std::uint64_t seed = 1;
  double free_range = 3.14159265358979;         // [rad, m] of joints without limits, both ways
  std::vector<Limits> limits;                   // one per joint, instead of the robot's; empty: the robot's
  std::function<bool(const VectorXd&)> allows;  // poses that may be taken (`pose_check`); empty: all
};

struct ConfigurationSet {
  MatrixXd q;          // count × joints
  double log_det = 0;  // of the scaled information; −∞ when the set does not identify every base parameter
  double mean_variance =
      0;           // trace of its inverse over the number of base parameters, for unit noise; ∞ likewise
  Index rank = 0;  // base parameters that the set identifies
};

// Random configurations within the limits: what a set is compared with. Throws InputError when none of ten
// thousand poses is allowed.
MatrixXd random_configurations(const Robot& robot, Index count, const ConfigurationOptions& options,
                               std::uint64_t index = 0);

// Measures of a given set.
ConfigurationSet measure(const Robot& robot, const BaseParameters& base, const MatrixXd& q,
                         const ConfigurationOptions& options = {});

ConfigurationSet best_configurations(const Robot& robot, const BaseParameters& base,
                                     const ConfigurationOptions& options = {});

// The smallest number of configurations that identifies every base parameter.
Index min_configurations(const Robot& robot, const BaseParameters& base,
                         const ConfigurationOptions& options = {});

}  // namespace steelyard
