// A robot's fold seen from the fleet's parameters, and the healthy scatter between robots.
#pragma once

#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/fleet/compare.hpp"

namespace steelyard::inline STEELYARD_ABI {

// A robot's own fit by rows.
struct OwnFit {
  VectorXd values, sigma;  // in the order of FleetInput::columns
  VectorXd row_sigma;      // standard deviation of the rows, noise factor included
  VectorXd row_residual;   // rms, without the noise factor
  VectorXd row_effort;     // rms
  double rows = 0;         // independent ones
};
OwnFit own_fit(const FleetInput& input, const FleetRobot& robot);

// Product of [Y | Y_j π_0 of each row j | τ − Y π_0] with itself, rows over their standard deviations.
MatrixXd robot_products(const FleetInput& input, const FleetRobot& robot, const OwnFit& fit,
                        const VectorXd& fleet);

// What is left of them when δ is free within T: information and score of [Y | gains].
struct Reduced {
  MatrixXd information;
  VectorXd score;
  VectorXd nearest;  // the direction that lowers the residual most: the robot's own parameters, no gain
};
Reduced reduce(const MatrixXd& products, Index parameters, const MatrixXd& T_inverse);

// T⁻¹ from the robots with the given products. `start`: first guess of the standard deviations, > 0.
struct Scatter {
  MatrixXd inverse;
  VectorXd deviation;
  MatrixXd T;
  Index robots = 0;  // behind it
};
Scatter estimate_scatter(const std::vector<const MatrixXd*>& products, const VectorXd& start, int threads);

// T⁻¹ with one more robot in T, no farther out than the farthest healthy ones.
MatrixXd inverse_with(const Scatter& scatter, const MatrixXd& products);

// Median and 1.4826 × median distance from it.
struct Spread {
  double middle = 0, width = 0;
};
Spread robust_spread(std::vector<double> numbers);

}  // namespace steelyard
