// The shapes of nonlinear friction, refined jointly with all linear parameters by variable projection.
//
//   min over θ  of  min over x ‖w (A(θ) x − τ)‖²      θ: ln φ2, φ3 or ln vs of every joint; x: all the rest
//
// A pass at θ folds the columns of the forms and their tangents. With the linear columns first the factor is
//
//   [ R11 R12 r1 ]      r2, ρ: what the linear columns do not explain, cost = ‖r2‖² + ρ²
//   [  0  R22 r2 ]      min ‖R22 t − r2‖: the Gauss-Newton step, δθ_k = t_k / height of the joint
//   [  0   0  ρ  ]      (the Jacobian of Kaufman's variable projection)
//
// so a pass gives the cost of a trial point and, if it is accepted, the next step: one pass per iteration.
// Steps are damped (Levenberg-Marquardt, in units of R22's columns) and bounded. The fit has converged when
// the next step would lower the cost by less than `tolerance` of σ² = cost / degrees of freedom: every shape
// is then within √tolerance of its standard deviation. Weights are those of the row kinds, updated after
// convergence when they have changed by more than one per cent.
//
// A joint falls back to the linear form, and the others are refined further, when its shape cannot be
// identified:
//
//   viscous   φ2 · highest velocity below 1/2: a straight line to 2 %; fv and fo remain
//   coulomb   the step is narrower than the samples resolve (ln φ2 has a standard deviation above 1, or
//             φ2 · highest velocity reaches 2000); fc, fo and fv remain
//   linear    the height is negative or within four standard deviations of zero, or the Stribeck velocity is
//             not known to a factor e, or is half the highest velocity
//
// Load friction. A pass has the gears of the point (regressor/gear_loads.hpp): μ of every joint, and the values
// whose loads give the signs, those that the step before predicts for the point. For given signs the problem is
// one more of the same kind, with μ among the shapes: a trial point is accepted only when it lowers the cost
// that a pass over all rows has found for it, and the cost falls from that without load friction, which has no
// signs, to the last. When another step would gain nothing, a pass takes the signs of the point's own loads;
// they replace the others unless the cost is higher, in which case the last point that descended stays.
// A gear's share μ that is not above four of its standard deviations is dropped (`no_load`), a difference
// between driving and driven that is not leaves one share for both (`load`).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/estimate/estimate.hpp"
#include "steelyard/estimate/friction.hpp"
#include "steelyard/fold/fold.hpp"

namespace steelyard::inline STEELYARD_ABI {

// One pass over all runs to be fitted: their folds with the trial's columns behind the plan's, and with its
// gears in the plan.
using FrictionPass = std::function<std::vector<Fold>(const FrictionTrial& trial)>;

struct FrictionFitOptions {
  int max_iterations = 60;
  double tolerance = 1e-3;   // share of σ²
  EstimateOptions estimate;  // weights

  void validate() const;  // throws InputError
};

enum class FrictionStatus { determined, viscous, coulomb, linear, load, no_load };
const char* to_string(FrictionStatus status);

struct FittedFriction {
  FrictionModel model;  // linear after a fallback
  FrictionStatus status = FrictionStatus::determined;
  std::string evidence;  // of a fallback: one sentence with the numbers
  double height = 0;     // φ1 or fs; 0 for forms without
};

struct FrictionFit {
  std::vector<FittedFriction> joints;
  bool converged = true;
  int iterations = 0;    // passes that were made
  double cost = 0;       // weighted ‖residual‖²
  double next_gain = 0;  // predicted gain of one more step, over σ²
  VectorXd
      load_values;  // of the plan's columns: whose loads have the signs of the last pass; empty: no gears
};

// `models` are where to begin; the folds of `pass` have fv, fc, fo of all joints with nonlinear forms, of
// which only those are used that the models name. `output`: the plan without gears, needed by models with load
// friction, and values to begin with; without values they are those of a pass without gears.
FrictionFit fit_friction(const std::vector<FrictionJoint>& joints, std::vector<FrictionModel> models,
                         const FrictionPass& pass, const FrictionFitOptions& options = {},
                         const GearOutput& output = {});

}  // namespace steelyard
