#include "steelyard/identify/setup.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "identify/friction.hpp"
#include "identify/prior.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/robot/read.hpp"

namespace steelyard::inline STEELYARD_ABI {

void StudyClock::report(const std::string& stage, double share) const {
  if (options_.progress) options_.progress(stage, std::clamp(share, 0.0, 1.0));
}

Robot study_robot(const Study& study, std::vector<Complaint>* warnings) {
  RobotFile file = study.robot ? RobotFile{*study.robot, {}} : read_robot(study.robot_path);
  if (study.robot) validate(file.robot);
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

Setup with_robot(Setup setup, Robot robot) {
  setup.robot = std::move(robot);
  setup.base = setup.clock().time("base parameters", [&] { return base_parameters(setup.robot); });
  if (setup.base.ambiguous)
    throw InputError({fmt::format("rank of the robot's regressor is ambiguous: {} or {} base parameters",
                                  setup.base.rank, setup.base.other_rank),
                      {setup.study().robot ? "" : setup.study().robot_path, 0, 0, ""},
                      "a gap of at least 1e3",
                      "run `steelyard model` on it; some length or angle is nearly zero"});
  PlanOptions options;
  options.wanted = lead_names(setup.base);
  setup.plan = make_plan(setup.robot, options);
  return setup;
}

namespace {

// Coordinates with dry friction, which has no direction at rest: terms of the robot and forms that the study fits.
std::vector<bool> sticking_joints(const Study& study, const Robot& robot) {
  const DriveSpec& spec = study.drive_spec;
  const auto sticks = [&](int joint) {
    const Joint& own = robot.joints[static_cast<std::size_t>(joint)];
    const auto named = spec.joints.find(own.name);
    if (own.drive.coulomb || (spec.friction && !spec.friction->is_linear())) return true;
    if (named != spec.joints.end() && named->second.friction && !named->second.friction->is_linear())
      return true;
    return std::any_of(robot.pairs.begin(), robot.pairs.end(),
                       [&](const CoupledPair& pair) { return pair.joint == joint || pair.partner == joint; });
  };
  std::vector<bool> sticking;
  for (const int joint : coordinates(robot).joints) sticking.push_back(sticks(joint));
  for (const Mimic& mimic : robot.mimics)
    for (std::size_t c = 0; c < sticking.size(); ++c)
      if (coordinates(robot).joints[c] == mimic.master && sticks(mimic.joint)) sticking[c] = true;
  return sticking;
}

}  // namespace

Setup open_robot(const Job& job) {
  validate(*job.study);
  Setup setup;
  setup.job = job;
  setup.robot_hash = robot_hash(*job.study);
  setup.prepare = job.study->prepare;
  setup.prepare.threads = job.options->threads;
  for (const StudyRun& run : job.study->runs)
    if (run.file.label.role == RunRole::fit) setup.offset_runs.push_back(run.file.label.label);
  Robot robot = study_robot(*job.study, &setup.warnings);
  if (!setup.prepare.keep_standstill) setup.prepare.sticking = sticking_joints(*job.study, robot);
  return with_given_delays(with_robot(std::move(setup), std::move(robot)));
}

Setup open(const Job& job) {
  return with_cutoff(with_delays(with_gains(open_robot(job))));
}

}  // namespace steelyard
