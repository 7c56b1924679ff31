#include "steelyard/validate/engine_check.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "steelyard/core/error.hpp"
#include "steelyard/core/linear_algebra.hpp"
#include "steelyard/dynamics/dynamics.hpp"
#include "steelyard/engines/play.hpp"
#include "steelyard/simulate/effort_model.hpp"
#include "steelyard/simulate/trajectory.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

// Samples × coordinates at the log's instants.
struct Played {
  VectorXd time;
  MatrixXd q, qd, qdd;
};

Trajectory spline(const VectorXd& time, const MatrixXd& values) {
  SampledMotion samples;
  samples.time = time;
  samples.q = values;
  return Trajectory(samples);
}

Played play_spline(const Trajectory& motion, const VectorXd& time) {
  const Index n = time.size(), joints = motion.joints();
  Played out{time, MatrixXd(n, joints), MatrixXd(n, joints), MatrixXd(n, joints)};
  motion.evaluate(time.data(), n, out.q.data(), out.qd.data(), out.qdd.data(), n);
  return out;
}

MatrixXd model_efforts(const Robot& robot, const TrueParameters& parameters, const Played& motion) {
  MatrixXd effort(motion.q.rows(), motion.q.cols());
  EffortModel(robot, parameters, {})
      .evaluate({motion.q.data(), motion.qd.data(), motion.qdd.data(), motion.q.rows(), motion.q.rows()},
                effort.data());
  return effort;
}

MatrixXd rigid_efforts(const Robot& robot, const VectorXd& standard, const Played& motion) {
  TrueParameters bodies;
  bodies.standard = standard;
  return model_efforts(robot, bodies, motion);
}

// Friction, rotors and couplings: all but the bodies.
MatrixXd drive_efforts(const Robot& robot, const TrueParameters& parameters, const Played& motion) {
  return model_efforts(robot, parameters, motion) - rigid_efforts(robot, parameters.standard, motion);
}

double rms_of(const VectorXd& values) {
  return values.size() > 0 ? std::sqrt(values.squaredNorm() / static_cast<double>(values.size())) : 0;
}

// R = Rz(yaw) Ry(pitch) Rx(roll).
Vector3 roll_pitch_yaw(const Matrix3& R) {
  return {std::atan2(R(2, 1), R(2, 2)), std::asin(std::clamp(-R(2, 0), -1.0, 1.0)),
          std::atan2(R(1, 0), R(0, 0))};
}

PoseError pose_error(const Robot& robot, const Followed& followed, const Trajectory& motion,
                     const VectorXd& times) {
  const Tree tree = compile(robot);
  PoseError error;
  for (Index s = 0; s < times.size(); ++s) {
    const Pose& there = followed.tool[static_cast<std::size_t>(s)];
    const Pose wanted = tool_pose(tree, motion.at(times[s]).q);
    const double distance = (there.position - wanted.position).norm();
    // |R − R'| in Frobenius' norm is 2 √2 sin(angle / 2).
    const double chord = (there.rotation - wanted.rotation).norm() / (2 * std::numbers::sqrt2);
    const double turn = 2 * std::asin(std::min(1.0, chord));
    error.position_mean += distance / static_cast<double>(times.size());
    error.turn_mean += turn / static_cast<double>(times.size());
    error.position_max = std::max(error.position_max, distance);
    error.turn_max = std::max(error.turn_max, turn);
    const Vector3 rpy = roll_pitch_yaw(there.rotation * wanted.rotation.transpose()).cwiseAbs();
    error.rpy_mean += rpy / static_cast<double>(times.size());
    error.rpy_max = error.rpy_max.cwiseMax(rpy);
  }
  return error;
}

// What a joint feels while all others are free, 1 / (M⁻¹)_jj: the mean over the motion. Gains by these are
// stable in steps of milliseconds; by M_jj they are not where axes of several joints line up.
VectorXd felt_inertias(const Robot& robot, const VectorXd& standard, const Trajectory& motion) {
  constexpr int kPoses = 50;
  const Tree tree = compile(robot);
  VectorXd felt = VectorXd::Zero(motion.joints());
  for (int k = 0; k < kPoses; ++k) {
    const VectorXd q = motion.at(motion.duration() * k / kPoses).q;
    const Eigen::MatrixXd inverse = inverse_of(mass_matrix(tree, standard, q));
    felt += inverse.diagonal().cwiseInverse() / kPoses;
  }
  return felt;
}

VectorXd pose_times(const Trajectory& motion, const EngineCheckOptions& options) {
  const auto count = static_cast<Index>(motion.duration() / options.pose_every) + 1;
  return VectorXd::LinSpaced(count, 0, static_cast<double>(count - 1) * options.pose_every);
}

void command_motion(EngineKind kind, const Robot& robot, const VectorXd& standard, const Trajectory& motion,
                    const EngineCheckOptions& options, EngineCheck& check) {
  const VectorXd times = pose_times(motion, options);
  const auto error_of = [&](Command what) {
    Engine engine(kind, robot, standard);
    return pose_error(robot, command(engine, motion, times, what, options.command_step), motion, times);
  };
  check.command_step = options.command_step;
  check.by_velocity = error_of(Command::velocity);
  check.by_position = error_of(Command::position);
}

// The measured effort on the identified bodies, and on heavier ones.
void follow_log(EngineKind kind, const Robot& robot, const VectorXd& standard, const Trajectory& motion,
                const Trajectory& effort, const EngineCheckOptions& options, EngineCheck& check) {
  const VectorXd felt = felt_inertias(robot, standard, motion);
  const double omega = 2 * std::numbers::pi * options.bandwidth;
  FollowOptions feedback;
  // One stiffness for all joints of a kind, by the largest of them; damped critically one by one.
  feedback.stiffness = omega * omega * felt;
  for (const JointKind one : {JointKind::revolute, JointKind::prismatic}) {
    double largest = 0;
    for (Index j = 0; j < felt.size(); ++j)
      if (robot.joints[static_cast<std::size_t>(j)].kind == one)
        largest = std::max(largest, omega * omega * felt[j]);
    for (Index j = 0; j < felt.size(); ++j)
      if (robot.joints[static_cast<std::size_t>(j)].kind == one) feedback.stiffness[j] = largest;
  }
  feedback.damping = 2 * feedback.stiffness.cwiseProduct(felt).cwiseSqrt();
  feedback.step = options.follow_step;
  const VectorXd times = pose_times(motion, options);
  const auto error_with = [&](double share) {
    Engine engine(kind, robot, share * standard);
    return pose_error(robot, follow(engine, motion, effort, times, feedback), motion, times);
  };
  check.followed = error_with(1);
  check.followed_heavier = error_with(options.heavier);
  check.heavier = options.heavier;
  check.follow_step = options.follow_step;
  check.stiffness.assign(feedback.stiffness.data(), feedback.stiffness.data() + felt.size());
  check.damping.assign(feedback.damping.data(), feedback.damping.data() + felt.size());
}

}  // namespace

EngineCheck check_engine(EngineKind kind, const Robot& robot, const TrueParameters& parameters,
                         const EngineLog& log, const EngineCheckOptions& options) {
  Engine engine(kind, robot, parameters.standard);
  const Index samples = log.position.rows();
  require(log.effort.rows() == samples && samples > 2 * log.trim, "samples to compare");
  const VectorXd time = VectorXd::LinSpaced(samples, 0, static_cast<double>(samples - 1) * log.step);
  const Coordinates c = coordinates(robot);
  const Trajectory motion = spline(time, log.position);
  const Trajectory all_joints =
      robot.mimics.empty()
          ? motion
          : spline(time, (log.position * c.matrix.transpose()).rowwise() + c.offset.transpose());
  const Played played = play_spline(motion, time);
  MatrixXd measured = log.effort - drive_efforts(robot, parameters, played);
  MatrixXd theirs = played_efforts(engine, all_joints, time, options.drive_step) * c.matrix;
  MatrixXd ours = rigid_efforts(robot, parameters.standard, played);
  if (log.filter)
    for (MatrixXd* efforts : {&measured, &theirs, &ours})
      filter_zero_phase(*log.filter, efforts->data(), samples, efforts->cols(), samples);

  EngineCheck check;
  check.engine = to_string(kind);
  check.run = log.run;
  if (!engine.has_inverse()) check.drive_step = options.drive_step;
  const Index kept = samples - 2 * log.trim;
  for (Index j = 0; j < measured.cols(); ++j) {
    const VectorXd engine_effort = theirs.col(j).segment(log.trim, kept);
    const VectorXd error = measured.col(j).segment(log.trim, kept) - engine_effort;
    const VectorXd own = ours.col(j).segment(log.trim, kept);
    const std::string& name =
        robot.joints[static_cast<std::size_t>(c.joints[static_cast<std::size_t>(j)])].name;
    const double size = rms_of(own);
    check.joints.push_back({name, error.mean(), rms_of(error), rms_of(engine_effort),
                            size > 0 ? rms_of(engine_effort - own) / size : 0});
  }
  if (robot.mimics.empty()) {
    follow_log(kind, robot, parameters.standard, motion, spline(time, measured), options, check);
    command_motion(kind, robot, parameters.standard, motion, options, check);
  }
  return check;
}

}  // namespace steelyard
