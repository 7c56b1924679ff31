#include "read_back.hpp"

#include <algorithm>

#include "graph.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/dynamics/dynamics.hpp"
#include "steelyard/engines/xml_words.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr int kReadBackStates = 20;

// All joints of the tree as coordinates.
std::vector<ExportState> joint_states(Robot robot) {
  robot.mimics.clear();
  robot.pairs.clear();
  robot.transmission = {};
  return export_states(robot, kReadBackStates);
}

}  // namespace

VectorXd carried_effort(const ExportModel& model, const CarriedParts& parts, const ExportState& state) {
  VectorXd tau =
      newton_euler(compile(model.robot), model.parameters.standard, state.q, state.qd, state.qdd).tau;
  for (std::size_t i = 0; i < model.parameters.drives.size(); ++i) {
    const Drive& drive = model.parameters.drives[i];
    const auto j = static_cast<Index>(i);
    tau[j] += drive.friction.viscous * state.qd[j];
    if (parts.rotors) tau[j] += drive.rotor_inertia * state.qdd[j];
    if (parts.coulomb) tau[j] += drive.friction.coulomb * sign(state.qd[j]);
  }
  return tau;
}

double effort_error(const ExportModel& read, const ExportModel& model, const CarriedParts& parts) {
  require(read.robot.size() == model.robot.size(), "as many joints as were written");
  double error = 0, size = 0;
  for (const ExportState& state : joint_states(model.robot)) {
    ExportState theirs = state;
    std::vector<Index> place;
    for (int j = 0; j < model.robot.size(); ++j) {
      const int k = read.robot.index_of(model.robot.joints[static_cast<std::size_t>(j)].name);
      require(k >= 0, "a joint that was written");
      place.push_back(k);
      theirs.q[k] = state.q[j], theirs.qd[k] = state.qd[j], theirs.qdd[k] = state.qdd[j];
    }
    const VectorXd wanted = carried_effort(model, parts, state), found = carried_effort(read, parts, theirs);
    for (Index j = 0; j < wanted.size(); ++j)
      error = std::max(error, std::abs(found[place[static_cast<std::size_t>(j)]] - wanted[j]));
    size = std::max(size, wanted.cwiseAbs().maxCoeff());
  }
  return size > 0 ? error / size : error;
}

double engine_error(Engine& engine, const ExportModel& model, const CarriedParts& parts) {
  double error = 0, size = 0;
  for (const ExportState& state : joint_states(model.robot)) {
    const VectorXd wanted = carried_effort(model, parts, state);
    error = std::max(error, (engine.inverse(state.q, state.qd, state.qdd) - wanted).cwiseAbs().maxCoeff());
    size = std::max(size, wanted.cwiseAbs().maxCoeff());
  }
  return size > 0 ? error / size : error;
}

std::optional<DryFriction> dry_friction_error(Engine& engine, const ExportModel& model) {
  const std::vector<Drive>& drives = model.parameters.drives;
  const auto dry = [](const Drive& drive) { return drive.friction.coulomb > 0; };
  if (std::none_of(drives.begin(), drives.end(), dry)) return {};
  DryFriction out;
  for (const ExportState& state : joint_states(model.robot)) {
    for (const double speed : {1.0, 0.01}) {
      const VectorXd qd = speed * state.qd, theirs = engine.dry_friction(state.q, qd, state.qdd);
      if (theirs.size() == 0) return {};
      double& worst = speed == 1 ? out.fast : out.slow;
      for (std::size_t i = 0; i < drives.size(); ++i) {
        const auto j = static_cast<Index>(i);
        const double fc = drives[i].friction.coulomb;
        if (fc > 0) worst = std::max(worst, std::abs(theirs[j] / fc - sign(qd[j])));
      }
    }
  }
  return out;
}

Steps pose_steps(const Pose& pose) {
  return steps_from_xyz_rpy(pose.position, roll_pitch_yaw(pose.rotation), "");
}

}  // namespace steelyard
