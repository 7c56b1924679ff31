#include "steelyard/simulate/effort_model.hpp"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "simulate/sign.hpp"
#include "steelyard/core/error.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

VectorXd with_payload(const Robot& robot, const VectorXd& standard, const std::optional<Inertia>& payload) {
  VectorXd parameters = standard;
  if (!payload) return parameters;
  const int link = robot.tool_link < 0 ? robot.size() - 1 : robot.tool_link;
  parameters.segment<kParametersPerLink>(kParametersPerLink * link) +=
      payload->expressed_in(to_pose(robot.tool)).to_standard();
  return parameters;
}

// Rows of N⁻ᵀ, scaled for currents by N_jj / g_j.
MatrixXd channel_matrix(const Robot& robot, const std::vector<Drive>& drives, const Coordinates& coordinates,
                        const SimulateOptions& options) {
  const bool is_current = options.effort == EffortChannel::current;
  if (!is_current && !options.motor_side) return {};
  const Index n = robot.dof();
  const bool is_geared = robot.transmission.is_given();
  MatrixXd matrix = MatrixXd::Identity(n, n);
  if (is_geared) matrix = robot.transmission.matrix.transpose().fullPivLu().inverse();
  if (!is_current) return matrix;
  for (Index j = 0; j < n; ++j) {
    const std::size_t joint = static_cast<std::size_t>(coordinates.joints[static_cast<std::size_t>(j)]);
    const double own = is_geared ? robot.transmission.matrix(j, j) : 1;
    if (own == 0) {
      throw InputError({"the motor does not move its own joint, so its gain at the joint is undefined",
                        {{}, 0, 0, robot.joints[joint].name},
                        "transmissions whose diagonal has no zero",
                        "simulate torques, or list the motors in the order of their joints"});
    }
    matrix.row(j) *= own / drives[joint].gain;
  }
  return matrix;
}

// x_all = matrix · x over all joints; mimic joints move with their masters.
MatrixXd expand(const MatrixXd& matrix, const double* x, Index stride, Index count) {
  MatrixXd all = MatrixXd::Zero(count, matrix.rows());
  for (Index i = 0; i < matrix.rows(); ++i) {
    for (Index a = 0; a < matrix.cols(); ++a) {
      if (matrix(i, a) == 0) continue;
      all.col(i) += matrix(i, a) * Eigen::Map<const VectorXd>(x + a * stride, count);
    }
  }
  return all;
}

}  // namespace

EffortModel::EffortModel(const Robot& robot, const TrueParameters& parameters, const SimulateOptions& options)
    : coordinates_(coordinates(robot)),
      drives_(parameters.drives),
      coupled_(robot.pairs),
      pairs_(parameters.pairs) {
  const Index n = coordinates_.matrix.cols();
  bodies_ = DynamicsPlan(compile(robot), with_payload(robot, parameters.standard, options.payload),
                         coordinates_, MatrixXd::Zero(n, n));
  drives_.resize(robot.joints.size());
  pairs_.resize(robot.pairs.size());
  channel_ = channel_matrix(robot, drives_, coordinates_, options);
}

void EffortModel::evaluate(const Samples& samples, double* effort) const {
  bodies_.inverse({samples.q, samples.qd, samples.qdd, samples.stride, samples.count}, effort,
                  samples.stride);
  add_load_friction(samples, effort);
  add_drives(samples, effort);
  if (channel_.size() > 0) to_channel(samples.stride, samples.count, effort);
}

// Behind the rigid efforts, which pass through the gears.
void EffortModel::add_load_friction(const Samples& samples, double* effort) const {
  for (Index a = 0; a < bodies_.joints(); ++a) {
    const auto joint = static_cast<std::size_t>(coordinates_.joints[static_cast<std::size_t>(a)]);
    const Friction& friction = drives_[joint].friction;
    if (!friction.has_load()) continue;
    double* tau = effort + a * samples.stride;
    for (Index s = 0; s < samples.count; ++s)
      tau[s] += load_friction(friction, samples.qd[a * samples.stride + s], tau[s]);
  }
}

void EffortModel::add_drives(const Samples& samples, double* effort) const {
  const Index count = samples.count;
  const MatrixXd qd = expand(coordinates_.matrix, samples.qd, samples.stride, count);
  const MatrixXd qdd = expand(coordinates_.matrix, samples.qdd, samples.stride, count);
  const MatrixXd q = expand(coordinates_.matrix, samples.q, samples.stride, count).rowwise() +
                     coordinates_.offset.transpose();
  MatrixXd tau(count, qd.cols());
  for (Index i = 0; i < qd.cols(); ++i) {
    const Drive& drive = drives_[static_cast<std::size_t>(i)];
    for (Index s = 0; s < count; ++s) {
      tau(s, i) = drive.rotor_inertia * qdd(s, i) + friction_effort(drive.friction, qd(s, i));
      if (drive.friction.has_ripple()) tau(s, i) += ripple_effort(drive.friction, q(s, i), qd(s, i));
    }
  }
  for (std::size_t p = 0; p < pairs_.size(); ++p) {
    const Index a = coupled_[p].joint, b = coupled_[p].partner;
    for (Index s = 0; s < count; ++s) {
      const double both = pairs_[p].coulomb * sign(qd(s, a) + qd(s, b));
      tau(s, a) += pairs_[p].rotor_inertia * qdd(s, b) + pairs_[p].viscous * qd(s, b) + both;
      tau(s, b) += pairs_[p].rotor_inertia * qdd(s, a) + pairs_[p].viscous * qd(s, a) + both;
    }
  }
  for (Index i = 0; i < tau.cols(); ++i) {
    for (Index a = 0; a < coordinates_.matrix.cols(); ++a) {
      if (coordinates_.matrix(i, a) == 0) continue;
      Eigen::Map<VectorXd>(effort + a * samples.stride, count) += coordinates_.matrix(i, a) * tau.col(i);
    }
  }
}

void EffortModel::to_channel(Index stride, Index count, double* effort) const {
  const MatrixXd tau = expand(MatrixXd::Identity(bodies_.joints(), bodies_.joints()), effort, stride, count);
  const MatrixXd logged = expand(channel_, tau.data(), count, count);
  for (Index j = 0; j < bodies_.joints(); ++j) std::copy_n(logged.col(j).data(), count, effort + j * stride);
}

}  // namespace steelyard
