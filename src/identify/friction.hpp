// The friction of a study's joints, and its part of the result.
//
// With forms to fit: one pass for velocities and the period, one with linear friction where gears may take of
// their load, one with the dictionary, then one per iteration, all over the fit runs only. Afterwards the robot's drive terms, its base parameters and the plan are those
// of the forms, and all later passes have the forms' columns.
#pragma once

#include <string>
#include <vector>

#include "steelyard/identify/folded.hpp"
#include "steelyard/result/result.hpp"

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

// What passes through the gears, by the values that the forms were fitted with.
GearOutput gear_output_of(const Setup& setup);

// The set-up's plan with the gears of a run, which carry its payload as well.
Plan plan_of_run(const Setup& setup, const StudyRun& run);

// The forms of a result, as if they had just been fitted: its extra columns, and the shapes of its friction.
FrictionForms friction_of_model(const Setup& setup, const Result& model);

// drives[].friction of the joints with forms.
void add_friction_values(const Setup& setup, const Estimate& estimate, std::vector<DriveValues>& drives);

// Everything that changes the values of extra columns, for the hash of a fold.
std::string describe_columns(const Setup& setup);

}  // namespace steelyard
