// Mistakes that add a column: springs, loads, end stops.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "steelyard/core/error.hpp"
#include "steelyard/doctor/hypotheses.hpp"
#include "steelyard/log/run_file.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

// Functions of one joint's position as terms.
ExtraColumns term_of(std::string name, int joint, std::function<double(double)> shape) {
  return extra_column(
      std::move(name), joint,
      [joint, shape = std::move(shape)](const SampleBlock& block, Index first, Index count, double* out) {
        const double* q = block.row(block.find(channel::kPosition), joint) + first;
        for (Index s = 0; s < count; ++s) out[s] = shape(q[s]);
      });
}

}  // namespace

namespace {

// Those of springs and counterbalances.
std::function<double(double)> shape_of(const std::string& expression) {
  if (expression == "sin(q)") return [](double q) { return std::sin(q); };
  if (expression == "cos(q)") return [](double q) { return std::cos(q); };
  if (expression == "sin(2*q)") return [](double q) { return std::sin(2 * q); };
  if (expression == "cos(2*q)") return [](double q) { return std::cos(2 * q); };
  require(expression == "q", "a spring of an unknown shape");
  return [](double q) { return q; };
}

}  // namespace

Hypothesis spring_hypothesis(const Robot& robot, int joint, const std::vector<std::string>& expressions) {
  const std::string name = log_joints(robot)[static_cast<std::size_t>(joint)].name;
  Hypothesis hypothesis{"missing-spring"};
  hypothesis.joints = {joint};
  hypothesis.set_up = SetUp::as_given(robot.dof());
  std::string columns;
  for (const std::string& expression : expressions) {
    const std::string column =
        expressions.size() == 1 ? "spring" : fmt::format("spring_{}", 1 + hypothesis.set_up.terms.size());
    columns += fmt::format("{}{{name: {}, joint: {}, expression: \"{}\"}}", columns.empty() ? "" : ", ",
                           column, name, expression);
    hypothesis.set_up.terms.push_back(term_of("missing " + column + " " + name, joint, shape_of(expression)));
  }
  hypothesis.what = fmt::format(
      "the effort of {} contains {} of its position: `columns: [{}]`", name,
      expressions.front() == "q" ? "a spring, a linear function" : "a counterbalance, a function", columns);
  return hypothesis;
}

namespace {

// Of the link at the end of a chain, in the efforts of all joints: mass and first moments of a body that is fixed to it.
ExtraColumns load_columns(const Robot& robot, int link) {
  PlanOptions options;
  for (const char* stem : {"m", "mx", "my", "mz"}) options.wanted.push_back(stem + std::to_string(link + 1));
  const Plan plan = make_plan(robot, options);
  ExtraColumns out;
  for (const Row& row : plan.rows)
    for (const std::string& name : plan.columns) out.columns.push_back({"load " + name, row.i});
  out.fill = [plan](const SampleBlock& block, Index first, Index count, double* const* values) {
    const int q = block.find(channel::kPosition), qd = block.find(channel::kVelocity),
              qdd = block.find(channel::kAcceleration);
    const auto at = [&](int channel, Index sample) {
      VectorXd x(block.joints());
      for (Index j = 0; j < x.size(); ++j) x[j] = block.row(channel, j)[first + sample];
      return x;
    };
    for (Index s = 0; s < count; ++s) {
      const MatrixXd Y = regressor(plan, at(q, s), at(qd, s), at(qdd, s));
      for (Index r = 0; r < Y.rows(); ++r)
        for (Index c = 0; c < Y.cols(); ++c) values[r * Y.cols() + c][s] = Y(r, c);
    }
  };
  return out;
}

}  // namespace

std::vector<Hypothesis> load_hypotheses(const Robot& robot) {
  std::vector<Hypothesis> list;
  for (int link = 0; link < robot.size(); ++link) {
    const bool carries = std::any_of(robot.joints.begin(), robot.joints.end(),
                                     [&](const Joint& joint) { return joint.parent == link; });
    if (carries) continue;
    Hypothesis& hypothesis = list.emplace_back();
    hypothesis.code = "payload-differs";
    hypothesis.set_up = SetUp::as_given(robot.dof());
    hypothesis.set_up.terms.push_back(load_columns(robot, link));
    hypothesis.what = fmt::format("the robot carries another load at {} than in the fitted runs",
                                  robot.joints[static_cast<std::size_t>(link)].name);
  }
  return list;
}

Hypothesis stop_hypothesis(const Robot& robot, int joint, double stop, bool is_above) {
  const LogJoint own = log_joints(robot)[static_cast<std::size_t>(joint)];
  Hypothesis hypothesis{"contact"};
  hypothesis.joints = {joint};
  hypothesis.set_up = SetUp::as_given(robot.dof());
  const double sign = is_above ? 1 : -1;
  hypothesis.set_up.terms.push_back(
      term_of("stop of " + own.name, joint, [=](double q) { return std::max(0.0, sign * (q - stop)); }));
  hypothesis.what = fmt::format("{} meets a stop {} {:.4g} {}", own.name, is_above ? "above" : "below", stop,
                                own.kind == JointKind::revolute ? "rad" : "m");
  return hypothesis;
}

}  // namespace steelyard
