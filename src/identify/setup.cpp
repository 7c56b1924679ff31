#include "steelyard/identify/setup.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "identify/friction.hpp"
#include "identify/prior.hpp"
#include "identify/ripple.hpp"
#include "identify/temperature.hpp"
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

double creep_of_linear_friction(const Study& study) {
  constexpr double kCreep = 0.01;  // set on clean strangers (docs/log.md)
  return study.standstill.share.value_or(kCreep);
}

namespace {

// Share of standstill of a joint: −1 without dry friction, 0 with a form that has a shape near zero velocity.
double standstill_of_joint(const Study& study, const Robot& robot, int joint) {
  const Joint& own = robot.joints[static_cast<std::size_t>(joint)];
  if (const FrictionSpec* spec = friction_of(study, own.name); spec != nullptr && !spec->is_linear())
    return study.standstill.share.value_or(0);
  const bool coupled = std::any_of(robot.pairs.begin(), robot.pairs.end(), [&](const CoupledPair& pair) {
    return pair.joint == joint || pair.partner == joint;
  });
  return own.drive.coulomb || coupled ? creep_of_linear_friction(study) : -1;
}

VectorXd standstill_shares(const Study& study, const Robot& robot) {
  const std::vector<int> joints = coordinates(robot).joints;
  VectorXd shares(static_cast<Index>(joints.size()));
  for (std::size_t c = 0; c < joints.size(); ++c) {
    double& share = shares[static_cast<Index>(c)];
    share = standstill_of_joint(study, robot, joints[c]);
    for (const Mimic& mimic : robot.mimics)
      if (mimic.master == joints[c]) share = std::max(share, standstill_of_joint(study, robot, mimic.joint));
  }
  if (study.standstill.share && !(shares.maxCoeff() >= 0))
    throw InputError({"`reject: {standstill: …}`, but no joint has dry friction",
                      {study.path, 0, 0, ""},
                      "Coulomb friction or a form of friction under `drives`",
                      "leave it out: every row counts"});
  return shares;
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
  if (!job.study->standstill.keep && setup.prepare.velocity_below.size() == 0)
    setup.prepare.standstill = standstill_shares(*job.study, robot);
  setup.ripple = given_ripple(*job.study, robot);
  setup = with_robot(std::move(setup), std::move(robot));
  setup.temperature = given_temperature(setup);
  return with_given_delays(std::move(setup));
}

Setup open(const Job& job) {
  Setup setup = open_robot(job);
  if (job.study->gains && job.study->cutoff.automatic)
    return with_delays(with_gains_and_cutoff(std::move(setup)));
  return with_cutoff(with_delays(with_gains(std::move(setup))));
}

}  // namespace steelyard
