#include <algorithm>
#include <cmath>

#include "steelyard/export/formats.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr int kStates = 200;

// Largest |effort| of a friction law over the velocities of a joint in the states.
double largest(const Friction& friction, const std::vector<double>& velocities) {
  double effort = 0;
  for (const double qd : velocities) effort = std::max(effort, std::abs(friction_effort(friction, qd)));
  return effort;
}

struct JointMotion {
  std::vector<double> velocities;
  double acceleration = 0;  // the largest
};

std::vector<JointMotion> motions(const Robot& robot) {
  const Coordinates c = coordinates(robot);
  std::vector<JointMotion> out(robot.joints.size());
  for (const ExportState& state : export_states(robot, kStates)) {
    const VectorXd qd = c.matrix * state.qd, qdd = c.matrix * state.qdd;
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i].velocities.push_back(qd[static_cast<Index>(i)]);
      out[i].acceleration = std::max(out[i].acceleration, std::abs(qdd[static_cast<Index>(i)]));
    }
  }
  return out;
}

// Largest effort that the gear of a joint takes over the states.
double largest_loss(const ExportModel& model, std::size_t joint) {
  ExportModel without = model;
  Friction& own = without.parameters.drives[joint].friction;
  own.load_driving = own.load_driven = own.load_mean = own.load_peak = 0;
  double largest = 0;
  for (const ExportState& state : export_states(model.robot, kStates))
    largest = std::max(largest, (model_effort(model, state.q, state.qd, state.qdd) -
                                 model_effort(without, state.q, state.qd, state.qdd))
                                    .cwiseAbs()
                                    .maxCoeff());
  return largest;
}

}  // namespace

std::vector<NotCarried> not_carried(const ExportModel& model, bool rotor_inertia) {
  std::vector<NotCarried> missing;
  const std::vector<JointMotion> moved = motions(model.robot);
  const auto note = [&](std::size_t joint, const char* what, double effort) {
    if (effort > 0) missing.push_back({model.robot.joints[joint].name, what, effort});
  };
  for (std::size_t i = 0; i < model.parameters.drives.size(); ++i) {
    const Drive& drive = model.parameters.drives[i];
    const Friction& f = drive.friction;
    if (!rotor_inertia) note(i, "rotor inertia", std::abs(drive.rotor_inertia) * moved[i].acceleration);
    note(i, "offset", std::abs(f.offset));
    Friction part;
    part.coulomb_positive = f.coulomb_positive, part.coulomb_negative = f.coulomb_negative;
    note(i, "asymmetric friction", largest(part, moved[i].velocities));
    part = {};
    part.sigmoid_height = f.sigmoid_height, part.sigmoid_slope = f.sigmoid_slope,
    part.sigmoid_shift = f.sigmoid_shift;
    note(i, "sigmoid friction", largest(part, moved[i].velocities));
    part = {};
    part.stribeck = f.stribeck, part.stribeck_velocity = f.stribeck_velocity;
    part.stribeck_exponent = f.stribeck_exponent;
    note(i, "Stribeck friction", largest(part, moved[i].velocities));
    if (f.has_load()) note(i, "load friction", largest_loss(model, i));
  }
  for (std::size_t k = 0; k < model.parameters.pairs.size(); ++k) {
    const PairDrive& pair = model.parameters.pairs[k];
    const auto a = static_cast<std::size_t>(model.robot.pairs[k].joint),
               b = static_cast<std::size_t>(model.robot.pairs[k].partner);
    const double speed =
        std::abs(*std::max_element(moved[b].velocities.begin(), moved[b].velocities.end(),
                                   [](double x, double y) { return std::abs(x) < std::abs(y); }));
    note(a, "coupling of motors",
         std::abs(pair.rotor_inertia) * moved[b].acceleration + std::abs(pair.viscous) * speed +
             std::abs(pair.coulomb));
  }
  return missing;
}

}  // namespace steelyard
