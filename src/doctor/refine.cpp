#include "doctor/refine.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "doctor/unexplained.hpp"
#include "steelyard/log/run_file.hpp"

namespace steelyard::doctor {
namespace {

// Ever smaller steps in each direction of some numbers, as long as the score falls.
template <typename Numbers, typename Make>
Refined descend(const Score& score_of, Numbers numbers, double step, double last, Make make) {
  Hypothesis best = make(numbers);
  const Numbers start = numbers;
  double score = score_of(best), reach = 0;
  for (; step > last; step /= 2) {
    reach += step;
    for (Index k = 0; k < numbers.size(); ++k)
      for (const double sign : {-1.0, 1.0}) {
        Numbers next = numbers;
        next[k] += sign * step;
        Hypothesis hypothesis = make(next);
        const double other = score_of(hypothesis);
        if (other >= score) continue;
        score = other;
        numbers = next;
        best = std::move(hypothesis);
      }
  }
  return {std::move(best), (numbers - start).cwiseAbs().maxCoeff() < 0.999 * reach};
}

using Number = Eigen::Matrix<double, 1, 1>;

}  // namespace

void add_grids(const Robot& robot, std::vector<Hypothesis>& list) {
  const Vector3 given = robot.gravity.normalized();
  for (int x = -1; x <= 1; ++x)
    for (int y = -1; y <= 1; ++y)
      for (int z = -1; z <= 1; ++z) {
        const Vector3 direction(x, y, z);
        if (direction.norm() > 0 && direction.normalized().dot(given) < 0.999)
          list.push_back(gravity_hypothesis(robot, direction));
      }
  for (int j = 0; j < robot.dof(); ++j)
    for (int quarter = -12; quarter <= 12; ++quarter)
      if (quarter != 0) list.push_back(effort_hypothesis(robot, j, std::pow(10.0, 0.25 * quarter)));
  for (const double factor : {1e-3, 0.1, 0.2, 0.5, 0.8, 1.25, 2.0, 5.0, 10.0, 1e3})
    list.push_back(time_hypothesis(robot, factor));
  const std::vector<LogJoint> joints = log_joints(robot);
  for (int j = 0; j < robot.dof(); ++j) {
    const bool turns = joints[static_cast<std::size_t>(j)].kind == JointKind::revolute;
    for (const double angle : {0.1, 0.3, 0.7, 1.2})
      for (const double sign : {-1.0, 1.0})
        if (turns) list.push_back(zero_hypothesis(robot, j, sign * angle));
    for (int k = 0; j > 0 && k < count_lengths(robot, j); ++k)
      for (const double more : {-0.1, -0.03, 0.03, 0.1}) list.push_back(length_hypothesis(robot, j, k, more));
  }
}

void add_terms(const Trial& trial, const SetUp& set_up, std::vector<Hypothesis>& list) {
  const Robot& robot = trial.robot();
  const std::vector<LogJoint> joints = log_joints(robot);
  VectorXd low = VectorXd::Constant(trial.joints(), kInfinity), high = -low;
  for (const CoarseRun& run : trial.runs()) {
    const MatrixXd q = (run.q * set_up.position.transpose()).rowwise() + set_up.zero.transpose();
    low = low.cwiseMin(q.colwise().minCoeff().transpose());
    high = high.cwiseMax(q.colwise().maxCoeff().transpose());
  }
  for (int j = 0; j < trial.joints(); ++j) {
    if (!(high[j] > low[j])) continue;
    const bool turns = joints[static_cast<std::size_t>(j)].kind == JointKind::revolute;
    list.push_back(spring_hypothesis(robot, j, {"q"}));
    if (turns) {
      list.push_back(spring_hypothesis(robot, j, {"sin(q)", "cos(q)"}));
      list.push_back(spring_hypothesis(robot, j, {"sin(q)", "cos(q)", "sin(2*q)", "cos(2*q)"}));
    }
    for (const double depth : {0.02, 0.04, 0.07}) {
      const double way = depth * (high[j] - low[j]);
      list.push_back(stop_hypothesis(robot, j, high[j] - way, true));
      list.push_back(stop_hypothesis(robot, j, low[j] + way, false));
    }
  }
}

bool is_length(const Hypothesis& hypothesis) {
  return hypothesis.code == "kinematics" && hypothesis.what.starts_with("the length");
}

std::optional<Hypothesis> without_number(const Trial& trial, const Robot& robot,
                                         const Hypothesis& hypothesis) {
  constexpr double kEndless = 1e6;
  if (hypothesis.code == "effort-scale" && hypothesis.joints.size() == 1 &&
      !is_loaded(trial, hypothesis.joints[0]))
    return effort_hypothesis(robot, hypothesis.joints[0], kEndless);
  if (hypothesis.code == "time-scale") return time_hypothesis(robot, kEndless);
  return std::nullopt;
}

Refined refined(const Robot& robot, const Score& score_of, const Hypothesis& hypothesis) {
  if (hypothesis.code == "effort-scale" && hypothesis.joints.empty())
    return descend(score_of, Number(std::log(hypothesis.set_up.effort(0, 0))), 0.5, 0.02,
                   [&](const Number& x) { return all_efforts_hypothesis(robot, std::exp(x[0])); });
  if (hypothesis.code == "effort-scale") {
    const int j = hypothesis.joints[0];
    return descend(score_of, Number(std::log(hypothesis.set_up.effort(j, j))), 0.5, 0.02,
                   [&](const Number& x) { return effort_hypothesis(robot, j, std::exp(x[0])); });
  }
  if (hypothesis.code == "coupling") {
    const int j = hypothesis.joints[0], next = hypothesis.joints[1];
    const double ratio = hypothesis.set_up.position(next, j);
    // Those of the robot itself and whole ones have no free number.
    const bool is_free =
        next == j + 1 && std::abs(ratio) < 1 && coupling_hypothesis(robot, j, ratio).what == hypothesis.what;
    if (!is_free) return {hypothesis};
    return descend(score_of, Number(ratio), 0.1, 0.004,
                   [&](const Number& x) { return coupling_hypothesis(robot, j, x[0]); });
  }
  if (hypothesis.code == "joint-zero") {
    const int j = hypothesis.joints[0];
    const double angle = hypothesis.set_up.zero[j], quarter = std::numbers::pi / 2;
    if (std::abs(angle / quarter - std::round(angle / quarter)) < 1e-9) return {hypothesis};
    return descend(score_of, Number(angle), 0.15, 0.004,
                   [&](const Number& x) { return zero_hypothesis(robot, j, x[0]); });
  }
  if (is_length(hypothesis)) {
    const int j = hypothesis.joints[0];
    for (int k = 0; k < count_lengths(robot, j); ++k)
      for (const double more : {-0.1, -0.03, 0.03, 0.1})
        if (length_hypothesis(robot, j, k, more).what == hypothesis.what)
          return descend(score_of, Number(more), 0.04, 0.002,
                         [&](const Number& x) { return length_hypothesis(robot, j, k, x[0]); });
    return {hypothesis};
  }
  if (hypothesis.code == "time-scale")
    return descend(score_of, Number(std::log(hypothesis.set_up.time)), 0.4, 0.02,
                   [&](const Number& x) { return time_hypothesis(robot, std::exp(x[0])); });
  if (hypothesis.code == "gravity") {
    const Vector3 start = hypothesis.robot->gravity.normalized();
    const Vector3 side = start.unitOrthogonal(), other = start.cross(side);
    return descend(score_of, Eigen::Vector2d(0, 0), 0.4, 0.02, [&](const Eigen::Vector2d& x) {
      return gravity_hypothesis(robot, start + x[0] * side + x[1] * other);
    });
  }
  return {hypothesis};
}

}  // namespace steelyard::doctor
