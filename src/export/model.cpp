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

namespace {

// What rotors and friction take beside the load of the coordinates, likewise reduced.
VectorXd drive_efforts(const ExportModel& model, const Coordinates& c, const VectorXd& load,
                       const VectorXd& qd, const VectorXd& qdd) {
  const Robot& robot = model.robot;
  const VectorXd all_qd = c.matrix * qd, all_qdd = c.matrix * qdd;
  VectorXd tau = VectorXd::Zero(robot.size());
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
  VectorXd effort = c.matrix.transpose() * tau;
  for (std::size_t a = 0; a < c.joints.size() && !model.parameters.drives.empty(); ++a) {
    const auto row = static_cast<Index>(a);
    effort[row] += load_friction(model.parameters.drives[static_cast<std::size_t>(c.joints[a])].friction,
                                 qd[row], load[row]);
  }
  return effort;
}

}  // namespace

VectorXd model_effort(const ExportModel& model, const VectorXd& q, const VectorXd& qd, const VectorXd& qdd) {
  const Coordinates c = coordinates(model.robot);
  const VectorXd load =
      c.matrix.transpose() * newton_euler(compile(model.robot), model.parameters.standard,
                                          c.matrix * q + c.offset, c.matrix * qd, c.matrix * qdd)
                                 .tau;
  return load + drive_efforts(model, c, load, qd, qdd);
}

MatrixXd model_efforts(const ExportModel& model, const DynamicsSamples& samples) {
  const Coordinates c = coordinates(model.robot);
  const auto n = static_cast<Index>(c.joints.size());
  MatrixXd tau(samples.count, n);
  DynamicsPlan(compile(model.robot), model.parameters.standard, c, MatrixXd::Zero(n, n))
      .inverse(samples, tau.data(), samples.count);
  VectorXd qd(n), qdd(n);
  for (Index s = 0; s < samples.count; ++s) {
    for (Index a = 0; a < n; ++a) {
      qd[a] = samples.qd[a * samples.stride + s];
      qdd[a] = samples.given[a * samples.stride + s];
    }
    const VectorXd load = tau.row(s).transpose();
    tau.row(s) += drive_efforts(model, c, load, qd, qdd).transpose();
  }
  return tau;
}

RestBands rest_bands(const ExportModel& model, const VectorXd& q) {
  const Coordinates c = coordinates(model.robot);
  const std::vector<Drive>& drives = model.parameters.drives;
  const VectorXd load = c.matrix.transpose() * gravity_torque(compile(model.robot), model.parameters.standard,
                                                              c.matrix * q + c.offset);
  RestBands out{load, load};
  for (Index a = 0; a < load.size() && !drives.empty(); ++a) {
    for (std::size_t i = 0; i < drives.size(); ++i) {
      const double ratio = c.matrix(static_cast<Index>(i), a);
      const DryLimits dry = dry_limits(drives[i].friction);
      const double offset = ratio * drives[i].friction.offset;
      out.high[a] += offset + std::abs(ratio) * (ratio > 0 ? dry.up : dry.down);
      out.low[a] += offset - std::abs(ratio) * (ratio > 0 ? dry.down : dry.up);
    }
    Friction gear = drives[static_cast<std::size_t>(c.joints[static_cast<std::size_t>(a)])].friction;
    const RestBand lost = rest_band({.load_driving = gear.load_driving,
                                     .load_driven = gear.load_driven,
                                     .load_mean = gear.load_mean,
                                     .load_peak = gear.load_peak},
                                    load[a]);
    out.high[a] += lost.high - load[a];
    out.low[a] += lost.low - load[a];
  }
  for (std::size_t k = 0; k < model.parameters.pairs.size(); ++k)
    for (const int joint : {model.robot.pairs[k].joint, model.robot.pairs[k].partner})
      for (Index a = 0; a < load.size(); ++a) {
        const double held = std::abs(c.matrix(joint, a)) * std::max(0.0, model.parameters.pairs[k].coulomb);
        out.high[a] += held;
        out.low[a] -= held;
      }
  return out;
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
