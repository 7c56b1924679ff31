#include "steelyard/feasible/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "steelyard/core/error.hpp"
#include "steelyard/core/linear_algebra.hpp"
#include "steelyard/dynamics/dynamics.hpp"
#include "steelyard/feasible/objective.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

void check_motion(const Tree& tree, const MotionSamples& motion, bool with_torque) {
  const auto fits = [&](const MatrixXd& m) { return m.rows() == motion.q.rows() && m.cols() == tree.size(); };
  if (fits(motion.q) && fits(motion.qd) && fits(motion.qdd) && (!with_torque || fits(motion.torque))) return;
  throw InputError(
      {fmt::format("run '{}': positions, velocities, accelerations and torques differ in size", motion.label),
       {},
       fmt::format("the same number of samples and {} joints each", tree.size()),
       "give all channels of the run"});
}

double term(const VectorXd& values, Index joint) {
  return values.size() == 0 ? 0 : values[joint];
}

void check_set(const Tree& tree, const ParameterSet& set) {
  const auto fits = [&](const VectorXd& v) { return v.size() == 0 || v.size() == tree.size(); };
  if (set.parameters.size() == 10 * tree.size() && fits(set.viscous) && fits(set.coulomb) &&
      fits(set.offset) && fits(set.rotor_inertia))
    return;
  throw InputError({fmt::format("parameter set '{}' has {} parameters", set.name, set.parameters.size()),
                    {},
                    fmt::format("{}, and {} of each drive term or none", 10 * tree.size(), tree.size()),
                    "give the ten parameters of every link"});
}

double sign_of(double x) {
  return x > 0 ? 1 : x < 0 ? -1 : 0;
}

InverseDynamics sample_dynamics(const Tree& tree, const VectorXd& parameters, const MotionSamples& motion,
                                Index s) {
  return newton_euler(tree, parameters, motion.q.row(s).transpose(), motion.qd.row(s).transpose(),
                      motion.qdd.row(s).transpose());
}

}  // namespace

VectorXd smallest_parameters(const Robot& robot, const BaseParameters& base, const VectorXd& values) {
  const Quantities quantities(robot, base.columns);
  const Objective base_rows = coefficient_objective(values, base, quantities);
  const VectorXd all = ShortestSolution(base_rows.R).solve(values);
  return all.head(quantities.standard_count());
}

MotionSamples sinusoidal_motion(const Robot& robot) {
  constexpr Index kSamples = 500;
  MotionSamples motion;
  motion.label = "sinusoids";
  motion.time = VectorXd::LinSpaced(kSamples, 0, 0.01 * static_cast<double>(kSamples - 1));
  for (MatrixXd* channel : {&motion.q, &motion.qd, &motion.qdd}) channel->resize(kSamples, robot.size());
  for (int j = 0; j < robot.size(); ++j) {
    const Joint& joint = robot.joints[static_cast<std::size_t>(j)];
    const double limit = joint.kind == JointKind::prismatic ? 0.1 : 1;
    const bool bounded = std::isfinite(joint.limits.lower) && std::isfinite(joint.limits.upper);
    const double centre = bounded ? (joint.limits.lower + joint.limits.upper) / 2 : 0;
    const double reach = bounded ? std::min(limit, (joint.limits.upper - joint.limits.lower) / 2) : limit;
    const double rate = 1.3 + 0.4 * j;
    for (Index s = 0; s < kSamples; ++s) {
      const double phase = 0.01 * rate * static_cast<double>(s);
      motion.q(s, j) = centre + reach * std::sin(phase);
      motion.qd(s, j) = reach * rate * std::cos(phase);
      motion.qdd(s, j) = -reach * rate * rate * std::sin(phase);
    }
  }
  return motion;
}

MatrixXd predicted_torque(const Tree& tree, const ParameterSet& set, const MotionSamples& motion) {
  check_motion(tree, motion, false);
  check_set(tree, set);
  MatrixXd torque(motion.q.rows(), tree.size());
  for (Index s = 0; s < torque.rows(); ++s) {
    torque.row(s) = sample_dynamics(tree, set.parameters, motion, s).tau.transpose();
    for (Index j = 0; j < torque.cols(); ++j)
      torque(s, j) += term(set.rotor_inertia, j) * motion.qdd(s, j) + term(set.viscous, j) * motion.qd(s, j) +
                      term(set.coulomb, j) * sign_of(motion.qd(s, j)) + term(set.offset, j);
  }
  return torque;
}

MeanSquareErrors mean_square_errors(const Tree& tree, const std::vector<ParameterSet>& sets,
                                    const std::vector<MotionSamples>& runs) {
  MeanSquareErrors table;
  const Index count = static_cast<Index>(sets.size());
  for (const ParameterSet& set : sets) table.sets.push_back(set.name);
  table.total.setZero(count, tree.size());
  double samples = 0;
  for (const MotionSamples& run : runs) {
    check_motion(tree, run, true);
    table.runs.push_back(run.label);
    MatrixXd squares(count, tree.size());
    for (Index k = 0; k < count; ++k)
      squares.row(k) = (run.torque - predicted_torque(tree, sets[static_cast<std::size_t>(k)], run))
                           .colwise()
                           .squaredNorm();
    table.total += squares;
    samples += static_cast<double>(run.q.rows());
    table.by_run.push_back(squares / std::max(1.0, static_cast<double>(run.q.rows())));
  }
  table.total /= std::max(1.0, samples);
  return table;
}

std::string MeanSquareErrors::to_text() const {
  std::size_t width = 4;
  for (const std::string& set : sets) width = std::max(width, set.size());
  std::string text = fmt::format("{:<{}}", "MSE", width);
  for (Index j = 0; j < total.cols(); ++j) text += fmt::format(" {:>10}", fmt::format("joint {}", j + 1));
  text += '\n';
  for (std::size_t k = 0; k < sets.size(); ++k) {
    text += fmt::format("{:<{}}", sets[k], width);
    for (Index j = 0; j < total.cols(); ++j)
      text += fmt::format(" {:>10.4g}", total(static_cast<Index>(k), j));
    text += '\n';
  }
  return text;
}

std::vector<WrenchCurves> wrench_curves(const Tree& tree, const std::vector<ParameterSet>& sets,
                                        const MotionSamples& motion) {
  check_motion(tree, motion, false);
  std::vector<WrenchCurves> curves;
  for (const ParameterSet& set : sets) {
    WrenchCurves& own = curves.emplace_back();
    own.set = set.name;
    own.torque = predicted_torque(tree, set, motion);
    own.wrench.resize(motion.q.rows(), Index{6} * tree.size());
    for (Index s = 0; s < motion.q.rows(); ++s) {
      const std::vector<JointWrench> wrenches = sample_dynamics(tree, set.parameters, motion, s).wrenches;
      for (Index j = 0; j < tree.size(); ++j) {
        const JointWrench& wrench = wrenches[static_cast<std::size_t>(j)];
        own.wrench.row(s).segment<3>(6 * j) = wrench.force.transpose();
        own.wrench.row(s).segment<3>(6 * j + 3) = wrench.moment.transpose();
      }
    }
  }
  return curves;
}

std::vector<WrenchExtremes> extremes_of(const std::vector<WrenchCurves>& sets) {
  std::vector<WrenchExtremes> result;
  for (const WrenchCurves& set : sets) {
    const Index joints = set.torque.cols();
    WrenchExtremes extremes{set.set, VectorXd::Zero(joints), VectorXd::Zero(joints), VectorXd::Zero(joints)};
    for (Index j = 0; j < joints && set.torque.rows() > 0; ++j) {
      extremes.force[j] = set.wrench.middleCols(6 * j, 3).rowwise().norm().maxCoeff();
      extremes.moment[j] = set.wrench.middleCols(6 * j + 3, 3).rowwise().norm().maxCoeff();
      extremes.torque_error[j] = (set.torque - sets.front().torque).col(j).cwiseAbs().maxCoeff();
    }
    result.push_back(std::move(extremes));
  }
  return result;
}

std::vector<WrenchExtremes> compare_wrenches(const Tree& tree, const std::vector<ParameterSet>& sets,
                                             const MotionSamples& motion) {
  return extremes_of(wrench_curves(tree, sets, motion));
}

}  // namespace steelyard
