// A point of the friction fit: models, what a pass with them gave, and the step from it to the next.
#pragma once

#include <vector>

#include "estimate/friction_projection.hpp"
#include "steelyard/core/abi.hpp"
#include "steelyard/estimate/friction.hpp"
#include "steelyard/fold/fold.hpp"

namespace steelyard::inline STEELYARD_ABI {

namespace friction_limits {
inline constexpr double kFlattest = 0.5;    // φ2 · fastest velocity below which a sigmoid is a line
inline constexpr double kSteepest = 2000;   // and from which it is a step
inline constexpr double kUnknownShape = 1;  // standard deviation of ln φ2 or ln vs
inline constexpr double kWidestBump =
    0.5;  // vs over the fastest velocity: Stribeck friction is one of slow joints
inline constexpr double kLargestLoss = 0.95;  // μ: at 1 no load could drive its gear
inline constexpr double kWidestLoadPeak =
    1;  // vm over the fastest velocity: beyond it the data show little of a constant share
}  // namespace friction_limits

struct FrictionPoint {
  std::vector<FrictionModel> models;
  VectorXd load_values;  // of the plan's columns, for the signs of the loads; empty: no gears
  std::vector<Fold> folds;
  Projection projection;
};

// The damped Gauss-Newton step of all tangents; by how much it lowers the cost of the linearised problem.
VectorXd friction_step(const Projection& at, double damping);
double predicted_gain(const Projection& at, const VectorXd& t);

// The models after a step. Steps t are in units of height · θ, those of μ plain.
std::vector<FrictionModel> moved(const std::vector<FrictionJoint>& joints, const FrictionPoint& from,
                                 const VectorXd& t);

// Standard deviations of each joint: of the first shape parameter (a logarithm), of the mean of its μ and of
// half their difference; of the peak of a load and the logarithm of its velocity.
struct ShapeDeviations {
  VectorXd shape, mu, half_difference, peak, peak_velocity;
};
ShapeDeviations shape_deviations(const FrictionPoint& point);

// Not worth further steps before it is simplified: a sigmoid on its way to a step, steeper than the
// dictionary's and with a slope that is not known; a gear that takes nothing.
bool runs_away(const std::vector<FrictionJoint>& joints, const FrictionPoint& at);

}  // namespace steelyard
