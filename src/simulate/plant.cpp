#include "simulate/plant.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "simulate/sign.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/dynamics/dynamics.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

// The part of a friction that is smooth in the velocity, and the rest.
Friction smooth_part(const Friction& friction) {
  Friction out = friction;
  out.coulomb = out.coulomb_positive = out.coulomb_negative = out.stribeck = 0;
  return out;
}

bool has_dry(const Friction& f) {
  return f.coulomb != 0 || f.coulomb_positive != 0 || f.coulomb_negative != 0 || f.stribeck != 0 ||
         (f.has_load() && f.load_velocity == 0);
}

void check_dry(const Friction& f, const std::string& joint) {
  if (f.has_ripple())
    throw InputError(
        {"ripple in a closed loop", {{}, 0, 0, joint}, "friction of velocity and load", "leave it out"});
  if (rest_shares(f).driving >= 1)
    throw InputError({fmt::format("the gear takes {:.3g} times its load at rest", rest_shares(f).driving),
                      {{}, 0, 0, joint},
                      "below 1 in a closed loop: load_mean + load_peak below 1/3",
                      "give a gear that loses less"});
  const double smallest = std::min(f.coulomb_positive, f.coulomb_negative);
  if (f.coulomb + smallest >= 0 && f.coulomb + smallest + f.stribeck >= 0) return;
  throw InputError({fmt::format("dry friction of {} N·m (N) would drive the joint", f.coulomb + smallest),
                    {{}, 0, 0, joint},
                    "zero or positive",
                    "give Coulomb friction that opposes the motion"});
}

}  // namespace

Plant::Plant(const Robot& robot, const TrueParameters& parameters)
    : coordinates_(coordinates(robot)),
      drives_(parameters.drives),
      coupled_(robot.pairs),
      pairs_(parameters.pairs) {
  validate(parameters, robot);
  drives_.resize(robot.joints.size());
  pairs_.resize(robot.pairs.size());
  const MatrixXd& C = coordinates_.matrix;
  coordinate_.assign(drives_.size(), -1);
  for (std::size_t a = 0; a < coordinates_.joints.size(); ++a)
    coordinate_[static_cast<std::size_t>(coordinates_.joints[a])] = static_cast<int>(a);
  follows_ = !robot.mimics.empty();
  for (const Drive& drive : drives_) {
    has_loads_ |= drive.friction.has_load();
    smooth_.push_back(smooth_part(drive.friction));
  }
  MatrixXd rotors = MatrixXd::Zero(C.rows(), C.rows());
  std::vector<VectorXd> directions;
  for (Index i = 0; i < C.rows(); ++i) {
    const Drive& drive = drives_[static_cast<std::size_t>(i)];
    rotors(i, i) = drive.rotor_inertia;
    check_dry(drive.friction, robot.joints[static_cast<std::size_t>(i)].name);
    if (!has_dry(drive.friction)) continue;
    directions.emplace_back(C.row(i).transpose());
    direction_joint_.push_back(static_cast<int>(i));
  }
  for (std::size_t p = 0; p < pairs_.size(); ++p) {
    const int a = coupled_[p].joint, b = coupled_[p].partner;
    rotors(a, b) = rotors(b, a) = pairs_[p].rotor_inertia;
    if (pairs_[p].coulomb == 0) continue;
    Friction both;
    both.coulomb = pairs_[p].coulomb;
    check_dry(both, robot.joints[static_cast<std::size_t>(b)].name);
    directions.emplace_back((C.row(a) + C.row(b)).transpose());
    direction_joint_.push_back(-1 - static_cast<int>(p));
  }
  rotors_ = C.transpose() * rotors * C;
  const Tree tree = compile(robot);
  bodies_ = DynamicsPlan(tree, parameters.standard, coordinates_, MatrixXd::Zero(C.cols(), C.cols()));
  whole_ = DynamicsPlan(tree, parameters.standard, coordinates_, rotors_);
  directions_.resize(C.cols(), static_cast<Index>(directions.size()));
  for (std::size_t d = 0; d < directions.size(); ++d) directions_.col(static_cast<Index>(d)) = directions[d];
}

VectorXd Plant::smooth_friction(const VectorXd& qd) const {
  if (!follows_) return smooth_friction_of_joints(qd);
  return coordinates_.matrix.transpose() * smooth_friction_of_joints(coordinates_.matrix * qd);
}

VectorXd Plant::smooth_friction_of_joints(const VectorXd& all) const {
  VectorXd tau(all.size());
  for (Index i = 0; i < all.size(); ++i)
    tau[i] = friction_effort(smooth_[static_cast<std::size_t>(i)], all[i]);
  for (std::size_t p = 0; p < pairs_.size(); ++p) {
    tau[coupled_[p].joint] += pairs_[p].viscous * all[coupled_[p].partner];
    tau[coupled_[p].partner] += pairs_[p].viscous * all[coupled_[p].joint];
  }
  return tau;
}

Plant::Equations Plant::equations(const VectorXd& q, const VectorXd& qd) const {
  Equations out;
  out.M = whole_.mass_matrix(q);
  const VectorXd weight = bodies_.inverse(q, qd, VectorXd::Zero(q.size()));
  out.bias = weight + smooth_friction(qd);
  if (has_loads_) out.bodies = bodies_.mass_matrix(q), out.weight = weight;
  return out;
}

bool Plant::accelerate(const VectorXd& q, const VectorXd& qd, const VectorXd& effort, VectorXd& qdd) const {
  const VectorXd tau = effort - smooth_friction(qd);
  qdd.resize(q.size());
  return whole_.forward({q.data(), qd.data(), tau.data(), 1, 1}, qdd.data(), 1).sample < 0;
}

VectorXd Plant::lost(const VectorXd& qd, const VectorXd& load) const {
  VectorXd out = VectorXd::Zero(qd.size());
  for (std::size_t a = 0; a < coordinates_.joints.size(); ++a) {
    const Friction& f = drives_[static_cast<std::size_t>(coordinates_.joints[a])].friction;
    const auto row = static_cast<Index>(a);
    if (f.load_velocity > 0) out[row] = load_friction(f, qd[row], load[row]);
  }
  return out;
}

VectorXd Plant::inverse(const VectorXd& q, const VectorXd& qd, const VectorXd& qdd,
                        const VectorXd& friction_velocity) const {
  VectorXd tau = bodies_.inverse(q, qd, qdd);
  const VectorXd load = tau;
  tau += rotors_ * qdd + smooth_friction(friction_velocity);
  if (has_loads_) tau += lost(friction_velocity, load);
  for (Index d = 0; d < dry_count(); ++d) {
    const double v = directions_.col(d).dot(friction_velocity);
    const double s = sign(v);
    if (s != 0) tau += directions_.col(d) * s * dry(d, s > 0 ? 1 : -1, std::abs(v), load);
  }
  return tau;
}

VectorXd Plant::gravity(const VectorXd& q) const {
  const VectorXd rest = VectorXd::Zero(q.size());
  return bodies_.inverse(q, rest, rest);
}

double Plant::dry(Index d, int sign, double speed, const VectorXd& load) const {
  const int joint = direction_joint_[static_cast<std::size_t>(d)];
  if (joint < 0) return pairs_[static_cast<std::size_t>(-1 - joint)].coulomb;
  const Friction& f = drives_[static_cast<std::size_t>(joint)].friction;
  double force = f.coulomb + (sign > 0 ? f.coulomb_positive : f.coulomb_negative);
  if (f.stribeck != 0) {
    force += f.stribeck * std::exp(-std::pow(speed / f.stribeck_velocity, f.stribeck_exponent));
  }
  const int own = coordinate_[static_cast<std::size_t>(joint)];
  // At rest, too, it has a direction.
  if (f.has_load() && f.load_velocity == 0 && load.size() > 0)
    force += sign * load_friction(f, sign * std::max(speed, std::numeric_limits<double>::min()), load[own]);
  return force;
}

VectorXd Plant::stiffness(const VectorXd& load) const {
  const MatrixXd& C = coordinates_.matrix;
  VectorXd all = VectorXd::Zero(C.rows());
  for (Index i = 0; i < all.size(); ++i) {
    const Friction& f = drives_[static_cast<std::size_t>(i)].friction;
    all[i] = std::abs(f.viscous) + std::abs(f.sigmoid_height * f.sigmoid_slope) / 4 +
             std::abs(f.stribeck) / f.stribeck_velocity;
    const int own = coordinate_[static_cast<std::size_t>(i)];
    if (own >= 0 && f.load_velocity > 0)
      all[i] += rest_shares(f).driving * std::abs(load[own]) / f.load_velocity;
    if (own >= 0) all[i] += rest_shares(f).driving * std::abs(load[own]) / f.load_peak_velocity;
  }
  for (std::size_t p = 0; p < pairs_.size(); ++p) {
    all[coupled_[p].joint] += std::abs(pairs_[p].viscous);
    all[coupled_[p].partner] += std::abs(pairs_[p].viscous);
  }
  return C.cwiseAbs2().transpose() * all;
}

}  // namespace steelyard
