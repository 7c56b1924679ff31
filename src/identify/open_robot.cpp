#include <fmt/format.h>

#include "identify/friction.hpp"
#include "identify/prior.hpp"
#include "identify/state.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/robot/derived.hpp"
#include "steelyard/robot/read.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

Robot study_robot(const Study& study, std::vector<Complaint>* warnings) {
  RobotFile file = read_robot(study.robot_path);
  if (warnings != nullptr) *warnings = file.warnings;
  for (Joint& joint : file.robot.joints) {
    joint.drive.viscous |= study.drives.viscous;
    joint.drive.coulomb |= study.drives.coulomb;
    joint.drive.offset |= study.drives.offset;
    joint.drive.rotor_inertia |= study.drives.rotor_inertia;
  }
  apply_drive_spec(study, file.robot);
  return file.robot;
}

void open_robot(StudyState& state) {
  state.robot = study_robot(state.study, &state.warnings);
  state.robot_hash = robot_file_hash(state.study.robot_path);
  plan_base(state);
}

void plan_base(StudyState& state) {
  state.base = state.clock.time("base parameters", [&] { return base_parameters(state.robot); });
  if (state.base.ambiguous)
    throw InputError({fmt::format("rank of the robot is not clear: {} or {} base parameters", state.base.rank,
                                  state.base.other_rank),
                      {state.study.robot_path, 0, 0, ""},
                      "a gap of at least 1e3",
                      "run `steelyard model` on it; some length or angle is nearly zero"});
  PlanOptions options;
  options.wanted = lead_names(state.base);
  state.plan = make_plan(state.robot, options);
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
