#include "steelyard/log/transmission.hpp"
#include "steelyard/study/study.hpp"
#include "study/elastic.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {
namespace {

Trajectory make_trajectory(const SimulationSpec& spec) {
  if (const auto* fourier = std::get_if<FourierSeries>(&spec.motion)) return Trajectory(*fourier);
  if (const auto* random = std::get_if<RandomMotion>(&spec.motion))
    return Trajectory(random_multi_sine(*random, spec.motion_seed));
  if (const auto* rest = std::get_if<RestToRest>(&spec.motion)) return Trajectory(*rest);
  return Trajectory(std::get<PointToPoint>(spec.motion));
}

TrueParameters make_parameters(const SimulationSpec& spec, const Robot& robot) {
  TrueParameters parameters = true_parameters(robot);
  parameters.drives = spec.drives;
  if (spec.drives.size() == 1)
    parameters.drives.assign(static_cast<std::size_t>(robot.size()), spec.drives[0]);
  return parameters;
}

}  // namespace

std::unique_ptr<SampleSource> open_study_run(const StudyRun& run, const Robot& robot) {
  if (run.simulation) {
    const SimulationSpec& spec = *run.simulation;
    if (spec.elastic)
      return elastic_simulation(spec, robot, make_parameters(spec, robot), make_trajectory(spec));
    return simulated_source(
        Simulator(robot, make_parameters(spec, robot), make_trajectory(spec), spec.options));
  }
  std::unique_ptr<SampleSource> source = open_run(run.file, log_joints(robot));
  bool on_motor_side = false;
  for (const std::string& name : source->channels()) on_motor_side |= name.starts_with(channel::kMotor);
  return on_motor_side ? on_joint_side(std::move(source), robot.transmission) : std::move(source);
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
