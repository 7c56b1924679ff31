#include "steelyard/export/model.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "graph.hpp"
#include "steelyard/core/random.hpp"
#include "steelyard/dynamics/dynamics.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr double kRest = 1;  // rad/s, rad/s², m/s, m/s² where the robot states no limit

double within(Random& random, double lower, double upper, double rest) {
  return random.uniform(std::isfinite(lower) ? lower : -rest, std::isfinite(upper) ? upper : rest);
}

}  // namespace

VectorXd model_effort(const ExportModel& model, const VectorXd& q, const VectorXd& qd, const VectorXd& qdd) {
  const Robot& robot = model.robot;
  const Coordinates c = coordinates(robot);
  const VectorXd all_qd = c.matrix * qd, all_qdd = c.matrix * qdd;
  VectorXd tau =
      newton_euler(compile(robot), model.parameters.standard, c.matrix * q + c.offset, all_qd, all_qdd).tau;
  for (std::size_t i = 0; i < model.parameters.drives.size(); ++i) {
    const Drive& drive = model.parameters.drives[i];
    const auto joint = static_cast<Index>(i);
    tau[joint] += drive.rotor_inertia * all_qdd[joint] + friction_effort(drive.friction, all_qd[joint]);
  }
  for (std::size_t k = 0; k < model.parameters.pairs.size(); ++k) {
    const PairDrive& pair = model.parameters.pairs[k];
    const Index a = robot.pairs[k].joint, b = robot.pairs[k].partner;
    const double dry = pair.coulomb * sign(all_qd[a] + all_qd[b]);
    tau[a] += pair.rotor_inertia * all_qdd[b] + pair.viscous * all_qd[b] + dry;
    tau[b] += pair.rotor_inertia * all_qdd[a] + pair.viscous * all_qd[a] + dry;
  }
  return c.matrix.transpose() * tau;
}

std::vector<ExportState> export_states(const Robot& robot, int count, std::uint64_t seed) {
  const Coordinates c = coordinates(robot);
  const auto n = static_cast<Index>(c.joints.size());
  std::vector<ExportState> states;
  for (int s = 0; s < count; ++s) {
    Random random(seed, "states of an export", static_cast<std::uint64_t>(s));
    ExportState state{VectorXd(n), VectorXd(n), VectorXd(n)};
    for (Index j = 0; j < n; ++j) {
      const Joint& joint = robot.joints[static_cast<std::size_t>(c.joints[static_cast<std::size_t>(j)])];
      const Limits& limits = joint.limits;
      const double turn = joint.kind == JointKind::revolute ? std::numbers::pi : kRest;
      state.q[j] = within(random, limits.lower, limits.upper, turn);
      state.qd[j] = within(random, -limits.velocity, limits.velocity, kRest);
      state.qdd[j] = within(random, -limits.acceleration, limits.acceleration, kRest);
    }
    states.push_back(std::move(state));
  }
  return states;
}

}  // namespace steelyard
