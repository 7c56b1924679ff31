// The friction of a study's joints, and its part of the result.
//
// With forms to fit: one pass for velocities and the period, one with linear friction where gears may take of
// their load, one with the dictionary, then one per iteration, all over the fit runs only. Afterwards the robot's drive terms, its base parameters and the plan are those
// of the forms, and all later passes have the forms' columns.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "steelyard/identify/folded.hpp"
#include "steelyard/result/result.hpp"
#include "steelyard/simulate/drives.hpp"

namespace steelyard::inline STEELYARD_ABI {

// What the study requests of a joint's friction; null: the terms of its robot.
const FrictionSpec* friction_of(const Study& study, const std::string& joint);

// Joints that differ from the others; until friction is fitted, forms are replaced by viscous, Coulomb and
// offset.
void apply_drive_spec(const Study& study, Robot& robot);

struct FittedForms {
  FrictionForms forms;
  std::vector<Finding> findings;
};
FittedForms fit_friction_forms(const Setup& setup, const Runs& runs);
Setup with_friction(Setup setup, FrictionForms forms);
// Both, and the orders of ripple where the study asks for them: with those the forms are fitted again.
Setup with_fitted_friction(Setup setup, const Runs& runs, std::vector<Finding>& findings);

// What a pass has beside the study's own columns, of a run whose payload adds `further` to the robot's values.
struct FrictionRows {
  std::function<std::vector<ExtraColumns>(const VectorXd& further)> columns;  // may be empty
  std::function<std::shared_ptr<const GearLoads>(const VectorXd& further)> gears;
  int blocks = 1;
};
// One pass over the fit runs. `positions`: one per fit run; empty: the period is not needed.
std::vector<RunRows> fold_fit_runs(const Setup& setup, const Runs& runs, const FrictionRows& with,
                                   const std::vector<CoarsePositions>& positions);

// What passes through the gears, by the values that the forms were fitted with.
GearOutput gear_output_of(const Setup& setup);

// The set-up's plan with the gears of a run, which carry its payload as well.
Plan plan_of_run(const Setup& setup, const StudyRun& run);

// The forms of a result, as if they had just been fitted: its extra columns, and the shapes of its friction.
FrictionForms friction_of_model(const Setup& setup, const Result& model);

inline constexpr double kShapeReach = 0.7;  // of the tangents of ln φ2, ln vs: a factor two
inline constexpr double kLargestShare =
    0.999;  // of its load that a gear takes: all of it is none to be driven by

// drives[].friction of the joints with forms.
void add_friction_values(const Setup& setup, const Estimate& estimate, std::vector<DriveValues>& drives);

// The friction of a result's drive, in the terms of a simulated one.
Friction fitted_friction(const DriveValues& drive);

// drives[].rest of joints with dry or load friction. Dry friction of a coupled pair counts for each of its joints.
void add_rest(const Robot& robot, std::vector<DriveValues>& drives);

// Shapes of refits on parts of the data, as rows: a tangent holds for a step that halves or doubles a velocity, or moves a
// gear's share by a quarter, and no further, whatever the part shows of it. Empty without shapes.
std::vector<Fold> shape_priors(const Setup& setup, const Estimate& estimate);

// Everything that changes the values of extra columns, for the hash of a fold.
std::string describe_columns(const Setup& setup);

}  // namespace steelyard
