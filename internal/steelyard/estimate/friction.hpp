// Friction of a joint beyond fv q̇ + fc sign(q̇) + fo: forms, and their columns for a pass.
//
// A form is linear in its coefficients (columns fv3, fh3, …) and, for the last two, nonlinear in its shape:
// φ2, φ3 or vs. Besides the form's own column a pass can fold its tangents, the derivatives ∂s/∂ln φ2, ∂s/∂φ3
// or ∂/∂ln vs (columns fh3.slope, fh3.shift, fs3.velocity). A tangent's coefficient is fh · δφ: from one fold
// come the step to a better shape, its standard deviation, and refits of the shape on parts of the data to
// first order.
//
// Canonical: φ1, φ2, vs > 0. The paper of the Panda has fv = fo = 0. Where φ2 |q̇| stays far below 1 the
// sigmoid is a straight line, where it is far above 1 nearly everywhere it is a step: its shape is then not
// known from the data, and fit_friction falls back to the linear form (friction_fit.hpp).
//
// Load friction, beside any form, is a plan with gears (regressor/gear_loads.hpp): μ is a shape, too. Its
// tangent is S(q̇) |τ_load| (columns mu3.load, or mu3.driving and mu3.driven) with the coefficient δμ. Those of
// κ = κ0 + κs e^(−(q̇/vm)²) are mu3.mean, mu3.peak and mu3.velocity (δ ln vm).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/estimate/options.hpp"
#include "steelyard/fold/layout.hpp"
#include "steelyard/regressor/gear_loads.hpp"

namespace steelyard::inline STEELYARD_ABI {

// Form and shape of one joint's friction; coefficients are found by least squares.
struct FrictionModel {
  FrictionForm form = FrictionForm::linear;
  bool viscous = true;  // columns of the plan that the model uses: fv, fc, fo
  bool coulomb = true;
  bool offset = true;
  double slope = 1;     // φ2 [s/rad] of the sigmoid
  double shift = 0;     // φ3 [rad/s]
  double velocity = 1;  // vs [rad/s] of Stribeck
  LoadFriction load = LoadFriction::none;
  double driving = 0;             // μ where the gear drives its load
  double driven = 0;              // μ where the load drives the gear; of `load` the same
  double load_velocity = 0;       // vl [rad/s] of the load's smooth sign; 0: sign(q̇)
  double load_mean = 0;           // κ0, of load_stribeck
  double load_peak = 0;           // κs
  double load_peak_velocity = 1;  // vm [rad/s]

  // Number of shape parameters: (ln φ2, φ3), (ln vs) or none; of the load: μ, (μd, μb) or (κ0, κs, ln vm).
  Index shape_size() const;
  Index load_size() const;
  void validate() const;  // throws InputError
};

// The model with the linear columns its form usually has.
FrictionModel friction_model(FrictionForm form);

// Which joint of a robot a model is for.
struct FrictionJoint {
  int number = 1;      // of its names: fv3
  Index row = 0;       // of the plan
  Index channel = 0;   // of the samples' joints
  double fastest = 1;  // largest |q̇| of the runs; scale of all velocities
};

// Value of the form's own column at a velocity, and its derivatives by the shape parameters.
struct ShapeValue {
  double value = 0;
  double by_first = 0;   // ∂/∂ln φ2 or ∂/∂ln vs
  double by_second = 0;  // ∂/∂φ3
};
ShapeValue friction_shape(const FrictionModel& model, double qd);

// "fh3" for a sigmoid, "fs3" for Stribeck, "fp3" for asymmetric (with "fn3"); empty for linear.
std::string friction_column(FrictionForm form, int number);
// {"fh3.slope", "fh3.shift"}, {"fs3.velocity"} or nothing.
std::vector<std::string> tangent_columns(FrictionForm form, int number);
// {"mu3.load"}, {"mu3.driving", "mu3.driven"}, {"mu3.mean", "mu3.peak", "mu3.velocity"} or nothing.
std::vector<std::string> load_tangents(LoadFriction load, int number);
// Both.
std::vector<std::string> tangent_columns(const FrictionModel& model, int number);
bool is_tangent(const std::string& column);

// The columns that the models need beside fv, fc, fo: one entry per joint that has any.
std::vector<ExtraColumns> friction_columns(const std::vector<FrictionJoint>& joints,
                                           const std::vector<FrictionModel>& models, bool tangents);

// What passes through the gears: the links' columns of a plan without gears, times their values.
struct GearOutput {
  Plan plan;
  VectorXd values;  // of its columns; those of drives do not count

  bool is_known() const { return values.size() > 0; }
};
GearOutput gear_output(const Plan& plan, const std::vector<std::string>& columns, const VectorXd& values);

// Columns of the efforts at the gears' outputs, computed together: fill(load, q̇, count, out) gives those of a
// joint, `names` are theirs.
struct LoadColumns {
  FrictionJoint joint;
  std::vector<std::string> names;
  std::function<void(const double* load, const double* qd, Index count, double* const* out)> fill;
};
ExtraColumns load_columns(const GearOutput& output, std::vector<LoadColumns> columns);

// The gears of the models with load friction, null without one; and their tangents.
std::shared_ptr<const GearLoads> gear_loads(const std::vector<FrictionJoint>& joints,
                                            const std::vector<FrictionModel>& models,
                                            const GearOutput& output);
std::vector<ExtraColumns> load_tangent_columns(const std::vector<FrictionJoint>& joints,
                                               const std::vector<FrictionModel>& models,
                                               const GearOutput& output);

// Models to fold a run with. A run may carry more than the robot: `further` is then what a payload adds to the
// values of the plan's columns (empty: nothing).
struct FrictionTrial {
  std::vector<FrictionJoint> joints;
  std::vector<FrictionModel> models;
  GearOutput output;

  std::vector<ExtraColumns> columns(const VectorXd& further = {}) const;  // with tangents
  std::shared_ptr<const GearLoads> gears(const VectorXd& further = {}) const;
};
GearOutput with_further(GearOutput output, const VectorXd& further);

}  // namespace steelyard
