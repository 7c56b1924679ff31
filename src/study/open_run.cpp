#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <set>

#include "steelyard/core/error.hpp"
#include "steelyard/log/window.hpp"
#include "steelyard/robot/read.hpp"
#include "steelyard/study/simulation.hpp"
#include "steelyard/study/study.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

// One number of a simulated robot, by machine name; false when there is none of that name.
bool put_parameter(const Robot& robot, const std::string& name, double value, TrueParameters& parameters) {
  const std::vector<std::string> standard = standard_parameter_names(robot);
  const auto found = std::find(standard.begin(), standard.end(), name);
  if (found != standard.end()) {
    parameters.standard[found - standard.begin()] = value;
    return true;
  }
  for (std::size_t j = 0; j < parameters.drives.size(); ++j) {
    const std::string number = std::to_string(j + 1);
    Drive& drive = parameters.drives[j];
    const std::pair<const char*, double*> fields[] = {{"Ia", &drive.rotor_inertia},
                                                      {"fv", &drive.friction.viscous},
                                                      {"fc", &drive.friction.coulomb},
                                                      {"fo", &drive.friction.offset}};
    for (const auto& [stem, field] : fields)
      if (stem + number == name) return *field = value, true;
  }
  for (std::size_t p = 0; p < robot.pairs.size(); ++p) {
    const std::string number = std::to_string(robot.pairs[p].partner + 1);
    PairDrive& pair = parameters.pairs[p];
    const std::pair<const char*, double*> fields[] = {
        {"Iam", &pair.rotor_inertia}, {"fvm", &pair.viscous}, {"fcm", &pair.coulomb}};
    for (const auto& [stem, field] : fields)
      if (stem + number == name) return *field = value, true;
  }
  return false;
}

// Links without inertia in the robot file are massless when the study gives parameters.
TrueParameters starting_parameters(const SimulationSpec& spec, const Robot& robot) {
  if (spec.parameters.empty()) return true_parameters(robot);
  Robot complete = robot;
  for (Joint& joint : complete.joints)
    if (!joint.inertia) joint.inertia = Inertia::zero();
  return true_parameters(complete);
}

void check_samples(const SampleBlock& samples, const std::string& label, std::size_t joints) {
  const auto refuse = [&](std::string what, const char* limit, const char* remedy) {
    throw InputError({fmt::format("run '{}' in memory: {}", label, what), {}, limit, remedy});
  };
  if (samples.joints() != static_cast<Index>(joints))
    refuse(fmt::format("samples of {} joints, the robot has {} independent ones", samples.joints(), joints),
           "one column a joint", "leave mimic joints out");
  std::set<std::string> channels(samples.channels().begin(), samples.channels().end());
  if (channels.size() < samples.channels().size())
    refuse("two channels have the same name", "different names", "");
  const auto has_one_of = [&](std::initializer_list<std::string> names) {
    return std::any_of(names.begin(), names.end(),
                       [&](const std::string& name) { return channels.count(name) > 0; });
  };
  const std::string motor(channel::kMotor), position(channel::kPosition), torque(channel::kTorque);
  if (!has_one_of({position, motor + position})) refuse("no channel 'position'", "positions", "");
  if (!has_one_of(
          {torque, motor + torque, std::string(channel::kCurrent), std::string(channel::kElasticTorque)}))
    refuse("no channel 'torque' and no 'current'", "efforts", "");
  if (samples.size() < 2) refuse(fmt::format("{} samples", samples.size()), "at least two samples", "");
  for (Index s = 0; s < samples.size(); ++s)
    if (!std::isfinite(samples.time()[s]) || (s > 0 && samples.time()[s] <= samples.time()[s - 1]))
      refuse(fmt::format("time does not increase: sample {} = {}", s + 1, samples.time()[s]),
             "time stamps that increase from sample to sample",
             "remove repeated samples, or make two runs where a new one starts");
  for (Index c = 0; c < static_cast<Index>(samples.channels().size()); ++c)
    for (Index j = 0; j < samples.joints(); ++j)
      for (Index s = 0; s < samples.size(); ++s)
        if (!std::isfinite(samples.row(c, j)[s]))
          refuse(fmt::format("sample {} of channel '{}', joint {} holds '{}', which is not a finite number",
                             s + 1, samples.channels()[static_cast<std::size_t>(c)], j + 1,
                             samples.row(c, j)[s]),
                 "finite numbers", "remove these samples, or repair them before use");
}

}  // namespace

StudyRun run_from_samples(const std::string& label, Run run) {
  run.label.label = label;
  StudyRun out;
  out.file.label = run.label;
  out.samples = std::make_shared<const Run>(std::move(run));
  return out;
}

StudyRun run_from_arrays(const std::string& label, const VectorXd& time, const MatrixXd& position,
                         const MatrixXd& torque, const MatrixXd& velocity, const MatrixXd& acceleration) {
  Run run;
  run.samples = SampleBlock({}, position.cols(), time.size());
  std::copy(time.begin(), time.end(), run.samples.time());
  const auto add = [&](std::string_view name, const MatrixXd& values, bool is_needed) {
    if (!is_needed && values.size() == 0) return;
    if (values.rows() != time.size() || values.cols() != position.cols())
      throw InputError(
          {fmt::format("run '{}': {} is {} × {}", label, name, values.rows(), values.cols()),
           {},
           fmt::format("{} samples × {} joints, as time and position are", time.size(), position.cols()),
           "one row a sample, one column a joint"});
    const Index channel = run.samples.add_channel(std::string(name));
    for (Index j = 0; j < values.cols(); ++j)
      std::copy(values.col(j).begin(), values.col(j).end(), run.samples.row(channel, j));
  };
  add(channel::kPosition, position, true);
  add(channel::kVelocity, velocity, false);
  add(channel::kAcceleration, acceleration, false);
  add(channel::kTorque, torque, true);
  return run_from_samples(label, std::move(run));
}

bool has_channel(const StudyRun& run, std::string_view channel) {
  if (run.samples) return run.samples->samples.find(channel) >= 0;
  return std::any_of(run.file.channels.begin(), run.file.channels.end(),
                     [&](const ChannelColumns& item) { return item.channel == channel; });
}

std::string robot_hash(const Study& study) {
  return study.robot ? robot_hash(*study.robot) : robot_file_hash(study.robot_path);
}

Trajectory simulated_motion(const SimulationSpec& spec) {
  if (const auto* fourier = std::get_if<FourierSeries>(&spec.motion)) return Trajectory(*fourier);
  if (const auto* random = std::get_if<RandomMotion>(&spec.motion))
    return Trajectory(random_multi_sine(*random, spec.motion_seed));
  if (const auto* rest = std::get_if<RestToRest>(&spec.motion)) return Trajectory(*rest);
  return Trajectory(std::get<PointToPoint>(spec.motion));
}

TrueParameters simulated_parameters(const SimulationSpec& spec, const Robot& robot) {
  TrueParameters parameters = starting_parameters(spec, robot);
  parameters.drives = spec.drives;
  if (spec.drives.size() == 1)
    parameters.drives.assign(static_cast<std::size_t>(robot.size()), spec.drives[0]);
  for (const auto& [name, value] : spec.parameters)
    if (!put_parameter(robot, name, value, parameters))
      throw InputError({fmt::format("the simulated robot has no parameter '{}'", name),
                        {},
                        "m1 … Jzz6, Ia1, fv1, fc1, fo1, and Iam6, fvm6, fcm6 of a coupled pair",
                        {}});
  for (std::size_t j = 0; !spec.gains.empty() && j < parameters.drives.size(); ++j)
    parameters.drives[j].gain =
        spec.gains.size() == 1 ? spec.gains[0] : spec.gains.at(std::min(j, spec.gains.size() - 1));
  if (spec.gains.size() > 1 && spec.gains.size() != parameters.drives.size())
    throw InputError({fmt::format("{} gains are given for the simulated robot", spec.gains.size()),
                      {},
                      fmt::format("one, or {}", parameters.drives.size()),
                      {}});
  return parameters;
}

namespace {

std::unique_ptr<SampleSource> open_whole_run(const StudyRun& run, const Robot& robot) {
  if (run.folded)
    throw InputError({fmt::format("run '{}' consists of folds, without samples", run.file.label.label),
                      {run.file.path, 0, 0, ""},
                      "a log",
                      "give the log as `file:`"});
  if (run.simulation) {
    const SimulationSpec& spec = *run.simulation;
    if (spec.elastic)
      return elastic_simulation(spec, robot, simulated_parameters(spec, robot), simulated_motion(spec));
    if (spec.commands_efforts)
      return driven_simulation(spec, robot, simulated_parameters(spec, robot), simulated_motion(spec));
    return simulated_source(
        Simulator(robot, simulated_parameters(spec, robot), simulated_motion(spec), spec.options));
  }
  const std::vector<LogJoint> joints = log_joints(robot);
  if (run.samples) check_samples(run.samples->samples, run.file.label.label, joints.size());
  std::unique_ptr<SampleSource> source = run.samples ? view_run(run.samples) : open_run(run.file, joints);
  bool on_motor_side = false;
  for (const std::string& name : source->channels()) on_motor_side |= name.starts_with(channel::kMotor);
  return on_motor_side ? on_joint_side(std::move(source), robot.transmission) : std::move(source);
}

// Of a split: what is fitted comes first.
TimeShare share_of(const StudyRun& run) {
  if (!run.fit_share) return {};
  return run.part == 1 ? TimeShare{0, *run.fit_share} : TimeShare{*run.fit_share, 1};
}

}  // namespace

std::unique_ptr<SampleSource> open_study_run(const StudyRun& run, const Robot& robot) {
  return cut_to_window(open_whole_run(run, robot), run.window, share_of(run));
}

std::vector<StudyRun> divided(const StudyRun& run) {
  if (run.part > 0 || (run.windows.empty() && !run.fit_share)) return {run};
  std::vector<StudyRun> parts(run.fit_share ? 2 : run.windows.size(), run);
  for (std::size_t k = 0; k < parts.size(); ++k) {
    RunLabel& label = parts[k].file.label;
    parts[k].part = static_cast<int>(k) + 1;
    if (!run.fit_share) {
      parts[k].window = run.windows[k];
      if (parts.size() > 1) label.label = fmt::format("{} part {}", run.file.label.label, k + 1);
      continue;
    }
    label.label += k == 0 ? " fitted part" : " rest";
    label.role = k == 0 ? RunRole::fit : RunRole::validate;
  }
  return parts;
}

}  // namespace steelyard
