// Equations of motion of a robot with its drives, on the independent coordinates.
//
//   M q̈ + bias + lost = τ + D f     bias: Coriolis, gravity, smooth friction;  f: dry friction along D's columns
//
// Gears that take of their load τ_load = M_b q̈ + h_b (bodies alone) do so in f when their sign is that of the
// velocity, and in `lost` when it is smooth.
#pragma once

#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/dynamics/dynamics.hpp"
#include "steelyard/robot/robot.hpp"
#include "steelyard/simulate/drives.hpp"

namespace steelyard::inline STEELYARD_ABI {

class Plant {
 public:
  // Throws InputError for parameters that do not fit the robot and for dry friction that drives.
  Plant(const Robot& robot, const TrueParameters& parameters);

  struct Equations {
    MatrixXd M;
    VectorXd bias;
    MatrixXd bodies;  // M_b and h_b; empty without gears that take of their load
    VectorXd weight;

    VectorXd load(const VectorXd& qdd) const { return bodies * qdd + weight; }
  };

  Index joints() const { return coordinates_.matrix.cols(); }
  MatrixXd mass_matrix(const VectorXd& q) const { return whole_.mass_matrix(q); }
  Equations equations(const VectorXd& q, const VectorXd& qd) const;

  // M q̈ + bias = effort; false when M is not positive definite.
  bool accelerate(const VectorXd& q, const VectorXd& qd, const VectorXd& effort, VectorXd& qdd) const;

  // Effort for an acceleration, dry friction included; that depends on `friction_velocity`.
  VectorXd inverse(const VectorXd& q, const VectorXd& qd, const VectorXd& qdd,
                   const VectorXd& friction_velocity) const;
  VectorXd gravity(const VectorXd& q) const;

  // Directions with dry friction: joints (over the coordinates) and the sums of coupled pairs.
  const MatrixXd& directions() const { return directions_; }
  Index dry_count() const { return directions_.cols(); }
  // Largest force along direction d against a motion with the sign `sign` at this speed, under the loads of the
  // coordinates (empty: none).
  double dry(Index d, int sign, double speed, const VectorXd& load) const;

  bool has_loads() const { return has_loads_; }
  // What gears with a smooth sign take of the loads.
  VectorXd lost(const VectorXd& qd, const VectorXd& load) const;

  // Largest slope of the smooth friction over velocity, per coordinate, under such loads.
  VectorXd stiffness(const VectorXd& load) const;

 private:
  VectorXd smooth_friction(const VectorXd& qd) const;  // on the coordinates
  VectorXd smooth_friction_of_joints(const VectorXd& all) const;

  Coordinates coordinates_;
  DynamicsPlan bodies_;  // without rotors
  DynamicsPlan whole_;
  bool follows_ = false;  // some joint is a mimic joint
  std::vector<Drive> drives_;
  std::vector<Friction> smooth_;  // of the drives
  std::vector<CoupledPair> coupled_;
  std::vector<PairDrive> pairs_;
  MatrixXd rotors_;  // on the coordinates
  MatrixXd directions_;
  std::vector<int> direction_joint_;  // joint, or −1 − pair
  std::vector<int> coordinate_;       // of the joint; −1: it follows another
  bool has_loads_ = false;
};

}  // namespace steelyard
