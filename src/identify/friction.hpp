// The step that finds the friction of a study's joints, and what the result says of it.
//
// With forms to fit: one pass for velocities and the period, one with the dictionary, then one an iteration,
// all over the fit runs only. Afterwards the robot's drive terms, its base parameters and the plan are those
// of the forms that were found, and all later passes have the forms' columns.
#pragma once

#include <string>
#include <vector>

#include "identify/state.hpp"
#include "steelyard/result/result.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

// Joints that differ from the others; until friction is fitted, forms stand as viscous, Coulomb and offset.
void apply_drive_spec(const Study& study, Robot& robot);

// Between open_runs and fold_runs.
void fit_friction_forms(StudyState& state);

// drives[].friction of the joints with forms, and findings about them.
void add_friction_values(const StudyState& state, std::vector<DriveValues>& drives);

// The forms of a result, as if they had just been fitted: its extra columns, and the shapes of its friction.
void restore_friction(const Result& model, StudyState& state);

// Everything that changes the values of extra columns, for the hash of a fold.
std::string describe_columns(const StudyState& state);

}  // namespace STEELYARD_ABI
}  // namespace steelyard
