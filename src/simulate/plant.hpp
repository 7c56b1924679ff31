// Equations of motion of a robot with its drives, on the independent coordinates.
//
//   M q̈ + bias = τ + D f       bias: Coriolis, gravity, smooth friction;  f: dry friction along D's columns
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
  };

  Index joints() const { return coordinates_.matrix.cols(); }
  Equations equations(const VectorXd& q, const VectorXd& qd) const;

  // Effort for an acceleration, dry friction included; that depends on `friction_velocity`.
  VectorXd inverse(const VectorXd& q, const VectorXd& qd, const VectorXd& qdd,
                   const VectorXd& friction_velocity) const;
  VectorXd gravity(const VectorXd& q) const;

  // Directions with dry friction: joints (over the coordinates) and the sums of coupled pairs.
  const MatrixXd& directions() const { return directions_; }
  Index dry_count() const { return directions_.cols(); }
  // Largest force along direction d against a motion with the sign `sign` at this speed.
  double dry(Index d, int sign, double speed) const;

  // Largest slope of the smooth friction over velocity, per coordinate.
  VectorXd stiffness() const;

 private:
  VectorXd smooth_friction(const VectorXd& qd) const;  // on the coordinates

  Tree tree_;
  VectorXd standard_;
  Coordinates coordinates_;
  std::vector<Drive> drives_;
  std::vector<CoupledPair> coupled_;
  std::vector<PairDrive> pairs_;
  MatrixXd rotors_;  // on the coordinates
  MatrixXd directions_;
  std::vector<int> direction_joint_;  // joint, or −1 − pair
};

}  // namespace steelyard
