#include "steelyard/doctor/hypotheses.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "steelyard/core/linear_algebra.hpp"
#include "steelyard/log/run_file.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

using std::numbers::pi;

// Collects hypotheses about one robot.
class HypothesisList {
 public:
  explicit HypothesisList(const Robot& robot)
      : robot_(robot), independent_(coordinates(robot)), joints_(log_joints(robot)) {}

  int size() const { return static_cast<int>(joints_.size()); }
  const std::string& name(int j) const { return joints_[static_cast<std::size_t>(j)].name; }
  bool turns(int j) const { return joints_[static_cast<std::size_t>(j)].kind == JointKind::revolute; }

  SetUp& add(FindingCode code, std::vector<int> joints, std::string what) {
    list.push_back({code, std::move(joints), std::move(what), SetUp::as_given(size()), std::nullopt});
    return list.back().set_up;
  }

  void add_signs() {
    for (int j = 0; j < size(); ++j) {
      add("torque-sign", {j}, fmt::format("the effort of {} has the wrong sign", name(j))).effort(j, j) = -1;
      add("position-sign", {j}, fmt::format("the position of {} has the wrong sign", name(j)))
          .position(j, j) = -1;
      SetUp& axis = add("axis-sign", {j}, fmt::format("the axis of {} points the other way", name(j)));
      axis.position(j, j) = axis.effort(j, j) = -1;
    }
    add("torque-sign", {}, "all efforts have the wrong sign").effort *= -1;
    add("position-sign", {}, "all positions have the wrong sign").position *= -1;
  }

  void add_zeros() {
    for (int j = 0; j < size(); ++j) {
      if (!turns(j)) continue;
      for (const int degrees : {90, -90, 180})
        add("joint-zero", {j},
            fmt::format("the zero of {} is off by {}°: q + {}° fits", name(j), -degrees, degrees))
            .zero[j] = degrees * pi / 180;
    }
  }

  void add_orders() {
    for (int i = 0; i < size(); ++i)
      for (int j = i + 1; j < size(); ++j) {
        if (turns(i) != turns(j)) continue;  // of other units: the study would not read them
        const auto pair = fmt::format("of {} and {} are swapped", name(i), name(j));
        SetUp& both = add("joint-order", {i, j}, "all columns " + pair);
        both.position.row(i).swap(both.position.row(j));
        both.effort.row(i).swap(both.effort.row(j));
        SetUp& positions = add("position-order", {i, j}, "the positions " + pair);
        positions.position.row(i).swap(positions.position.row(j));
        SetUp& efforts = add("effort-order", {i, j}, "the efforts " + pair);
        efforts.effort.row(i).swap(efforts.effort.row(j));
      }
  }

  void add_units() {
    const auto all = [&](double factor, const char* what) {
      SetUp& set_up = add("position-unit", {}, what);
      for (int j = 0; j < size(); ++j)
        if (turns(j)) set_up.position(j, j) = factor;
    };
    all(pi / 180, "all positions are in degrees, not radians");
    all(180 / pi, "all positions are in radians, not degrees");
    for (int j = 0; j < size(); ++j) {
      if (!turns(j)) continue;
      add("position-unit", {j}, fmt::format("the position of {} is in degrees, not radians", name(j)))
          .position(j, j) = pi / 180;
      add("position-unit", {j}, fmt::format("the position of {} is in radians, not degrees", name(j)))
          .position(j, j) = 180 / pi;
    }
  }

  // Positions or efforts of the motor side instead of the joint side.
  void add_motor_side() {
    if (!robot_.transmission.is_given()) return;
    for (int j = 0; j < size(); ++j) {
      const double ratio = robot_.transmission.matrix(j, j);
      if (ratio == 0 || std::abs(std::abs(ratio) - 1) < 1e-6) continue;
      for (const bool is_motor : {true, false}) {
        const double factor = is_motor ? 1 / ratio : ratio;
        const char* side = is_motor ? "motor's" : "joint's, divided by the gear ratio once too often";
        SetUp& set_up = add("position-unit", {j}, fmt::format("the position of {} is the {}", name(j), side));
        set_up.position(j, j) = factor;
      }
    }
  }

  // Couplings of the robot's transmission that are not present, or have the opposite sign. The log is on the
  // joint side by N; with N' instead q' = N'⁻¹ N (q − zero) + zero and τ' = N'ᵀ N⁻ᵀ τ, where the log is the
  // motors'.
  void add_own_couplings() {
    const Eigen::MatrixXd& N = robot_.transmission.matrix;
    for (int i = 0; i < N.rows(); ++i)
      for (int j = 0; j < N.cols(); ++j) {
        if (i == j || N(i, j) == 0) continue;
        for (const double factor : {0.0, -1.0}) {
          Eigen::MatrixXd other = N;
          other(i, j) *= factor;
          const PivotedLu lu(other);
          if (!lu.is_invertible()) continue;
          const std::string what = fmt::format(
              "the coupling of the motor of {} to {} ({:.4g} in the robot's transmission) {}", name(i),
              name(j), N(i, j), factor == 0 ? "is not present" : "has the opposite sign");
          const Eigen::MatrixXd position = lu.solve(N);
          const Eigen::MatrixXd effort = inverse_of(position).transpose();
          for (const auto& [moves, pulls] : {std::pair{true, true}, {true, false}, {false, true}}) {
            SetUp& set_up = add("coupling", {std::min(i, j), std::max(i, j)}, what);
            if (moves) set_up.position = position;
            if (moves && robot_.transmission.zero.size() > 0)
              set_up.zero = robot_.transmission.zero - position * robot_.transmission.zero;
            if (pulls) set_up.effort = effort;
          }
        }
      }
  }

  // Small ones are due to gears: tested where the log may be on the motor side.
  void add_couplings() {
    std::vector<double> ratios = {-1, 1, -2, 2};
    if (robot_.transmission.is_given()) ratios.insert(ratios.end(), {-0.15, 0.15, -0.4, 0.4});
    for (int j = 0; j + 1 < size(); ++j)
      for (const double c : ratios)
        if (turns(j) && turns(j + 1) && carries_next(j)) list.push_back(coupling_hypothesis(robot_, j, c));
  }

  void add_geometry();

  std::vector<Hypothesis> list;

 private:
  // Drives of neighbours in one chain may be coupled, those of the two arms of a tree are not.
  bool carries_next(int j) const {
    const std::vector<int>& independent = independent_.joints;
    const auto is_independent = [&](int link) {
      return std::find(independent.begin(), independent.end(), link) != independent.end();
    };
    int link = robot_.joints[static_cast<std::size_t>(independent[static_cast<std::size_t>(j) + 1])].parent;
    while (link >= 0 && !is_independent(link)) link = robot_.joints[static_cast<std::size_t>(link)].parent;
    return link == independent[static_cast<std::size_t>(j)];
  }

  const Robot& robot_;
  Coordinates independent_;
  std::vector<LogJoint> joints_;
};

// The steps from a joint's parent to the joint, its own motion not among them.
std::vector<Step*> steps_of(Joint& joint) {
  std::vector<Step*> steps;
  for (Steps* part : {&joint.before, &joint.after})
    for (Step& step : *part) steps.push_back(&step);
  return steps;
}

// Sign of the twist between two axes, the most common mistake in a DH table, and of other turns that are not about the joint's
// own axis, whose mistakes are zeros.
void HypothesisList::add_geometry() {
  const std::optional<Robot> other = other_dh_convention(robot_);
  if (other) {
    add("kinematics", {}, "the DH rows follow the other convention (standard, modified)");
    list.back().robot = other;
  }
  for (std::size_t k = 0; k < independent_.joints.size(); ++k) {
    const auto j = static_cast<std::size_t>(independent_.joints[k]);
    Robot given = robot_;
    const std::size_t steps = steps_of(given.joints[j]).size();
    for (std::size_t at = 0; at < steps; ++at) {
      Robot changed = robot_;
      Step& step = *steps_of(changed.joints[j])[at];
      if (!is_turn(step.motion) || (other && step.motion != Motion::turn_x)) continue;
      if (robot_.joints[j].kind == JointKind::revolute &&
          std::abs(robot_.joints[j].axis[axis_index(step.motion)]) > 1 - 1e-6)
        continue;
      const Matrix3 before = to_pose({step}).rotation;
      step.value = -step.value;
      if ((before - Matrix3(to_pose({step}).rotation)).norm() < 1e-6) continue;
      add("kinematics", {static_cast<int>(k)},
          other ? fmt::format("alpha in the DH row of {} has the wrong sign", robot_.joints[j].name)
                : fmt::format("the turn about {} in front of {} has the wrong sign",
                              "xyz"[axis_index(step.motion)], robot_.joints[j].name));
      list.back().robot = std::move(changed);
    }
  }
}

}  // namespace

std::vector<Hypothesis> fixed_hypotheses(const Robot& robot) {
  HypothesisList hypotheses(robot);
  hypotheses.add_signs();
  hypotheses.add_zeros();
  hypotheses.add_orders();
  hypotheses.add_units();
  hypotheses.add_motor_side();
  hypotheses.add_own_couplings();
  hypotheses.add_couplings();
  hypotheses.add_geometry();
  return std::move(hypotheses.list);
}

Hypothesis gravity_hypothesis(const Robot& robot, const Vector3& direction) {
  Hypothesis hypothesis{"gravity"};
  const double size = robot.gravity.norm() > 0 ? robot.gravity.norm() : 9.81;
  const Vector3 gravity = size * direction.normalized();
  hypothesis.what =
      fmt::format("gravity is ({:.2f}, {:.2f}, {:.2f}) m/s², the robot file says ({:.2f}, {:.2f}, {:.2f})",
                  gravity[0], gravity[1], gravity[2], robot.gravity[0], robot.gravity[1], robot.gravity[2]);
  hypothesis.set_up = SetUp::as_given(robot.dof());
  hypothesis.robot = robot;
  hypothesis.robot->gravity = gravity;
  return hypothesis;
}

Hypothesis time_hypothesis(const Robot& robot, double factor) {
  Hypothesis hypothesis{"time-scale"};
  hypothesis.what = fmt::format("one second of the time stamps lasts {:.3g} s", factor);
  hypothesis.set_up = SetUp::as_given(robot.dof());
  hypothesis.set_up.time = factor;
  return hypothesis;
}

Hypothesis effort_hypothesis(const Robot& robot, int joint, double factor) {
  Hypothesis hypothesis{"effort-scale"};
  hypothesis.joints = {joint};
  hypothesis.what = fmt::format("the effort of {} times {:.4g} fits the other joints",
                                log_joints(robot)[static_cast<std::size_t>(joint)].name, factor);
  hypothesis.set_up = SetUp::as_given(robot.dof());
  hypothesis.set_up.effort(joint, joint) = factor;
  return hypothesis;
}

Hypothesis on_top(const Hypothesis& first, Hypothesis second) {
  const SetUp below = first.set_up;
  SetUp& set_up = second.set_up;
  set_up.zero += set_up.position * below.zero;
  set_up.position = (set_up.position * below.position).eval();
  set_up.effort = (set_up.effort * below.effort).eval();
  set_up.time *= below.time;
  set_up.terms.insert(set_up.terms.begin(), below.terms.begin(), below.terms.end());
  if (!second.robot) second.robot = first.robot;
  return second;
}

Hypothesis zero_hypothesis(const Robot& robot, int joint, double angle) {
  Hypothesis hypothesis{"joint-zero"};
  const double degrees = angle * 180 / pi;
  hypothesis.joints = {joint};
  hypothesis.what = fmt::format("the zero of {} is off by {:.3g}°: q + {:.3g}° fits",
                                log_joints(robot)[static_cast<std::size_t>(joint)].name, -degrees, degrees);
  hypothesis.set_up = SetUp::as_given(robot.dof());
  hypothesis.set_up.zero[joint] = angle;
  return hypothesis;
}

namespace {

std::vector<Step*> lengths_of(Robot& robot, int joint) {
  const auto j = static_cast<std::size_t>(coordinates(robot).joints[static_cast<std::size_t>(joint)]);
  std::vector<Step*> steps = steps_of(robot.joints[j]);
  std::erase_if(steps, [](const Step* step) { return is_turn(step->motion) || step->value == 0; });
  return steps;
}

}  // namespace

int count_lengths(const Robot& robot, int joint) {
  Robot copy = robot;
  return static_cast<int>(lengths_of(copy, joint).size());
}

Hypothesis length_hypothesis(const Robot& robot, int joint, int k, double more) {
  Hypothesis hypothesis{"kinematics"};
  hypothesis.joints = {joint};
  hypothesis.set_up = SetUp::as_given(robot.dof());
  hypothesis.robot = robot;
  Step& step = *lengths_of(*hypothesis.robot, joint)[static_cast<std::size_t>(k)];
  step.value += more;
  hypothesis.what = fmt::format("the length {:.4g} m along {} of {} in the robot file is {:.3g} m",
                                step.value - more, "xyz"[axis_index(step.motion)],
                                log_joints(robot)[static_cast<std::size_t>(joint)].name, step.value);
  return hypothesis;
}

Hypothesis coupling_hypothesis(const Robot& robot, int joint, double ratio) {
  const std::vector<LogJoint> joints = log_joints(robot);
  const std::string& name = joints[static_cast<std::size_t>(joint)].name;
  const std::string& next = joints[static_cast<std::size_t>(joint) + 1].name;
  Hypothesis hypothesis{"coupling"};
  hypothesis.joints = {joint, joint + 1};
  hypothesis.what = fmt::format(
      "{} is {} {} {}{} of the log: a coupling of the two is missing or has the wrong sign", next, next,
      ratio > 0 ? "+" : "−", std::abs(ratio) == 1 ? "" : fmt::format("{:.3g} × ", std::abs(ratio)), name);
  hypothesis.set_up = SetUp::as_given(robot.dof());
  hypothesis.set_up.position(joint + 1, joint) = ratio;
  hypothesis.set_up.effort(joint, joint + 1) = -ratio;
  // The log is that of the drives, and so is their friction: u' of the next drive is the sum of both joints' velocities.
  if (ratio == -1) {
    const Coordinates independent = coordinates(robot);
    const auto link = [&](int j) { return independent.joints[static_cast<std::size_t>(j)]; };
    hypothesis.robot = robot;
    hypothesis.robot->pairs.push_back({link(joint), link(joint + 1)});
  }
  return hypothesis;
}

Hypothesis all_efforts_hypothesis(const Robot& robot, double factor) {
  Hypothesis hypothesis{"effort-scale"};
  hypothesis.what =
      fmt::format("the efforts of all joints times {:.4g} fit the model of the other runs", factor);
  hypothesis.set_up = SetUp::as_given(robot.dof());
  hypothesis.set_up.effort *= factor;
  return hypothesis;
}

namespace {

// The numbers of a DH row, in the order in which the readers put them into steps.
struct DhRow {
  double a = 0, alpha = 0, d = 0, theta = 0;
};

// Only steps of the four kinds that DH has, each at most once.
bool collect(const Steps& steps, DhRow& row) {
  for (const Step& step : steps) {
    switch (step.motion) {
      case Motion::move_x:
        row.a += step.value;
        break;
      case Motion::turn_x:
        row.alpha += step.value;
        break;
      case Motion::move_z:
        row.d += step.value;
        break;
      case Motion::turn_z:
        row.theta += step.value;
        break;
      default:
        return false;
    }
  }
  return true;
}

}  // namespace

std::optional<Robot> other_dh_convention(const Robot& robot) {
  Robot other = robot;
  bool modified = true, standard = true;
  for (std::size_t j = 0; j < robot.joints.size(); ++j) {
    const Joint& joint = robot.joints[j];
    DhRow row;
    if (joint.kind != JointKind::revolute || !robot.mimics.empty() || joint.axis != Vector3::UnitZ() ||
        joint.parent != static_cast<int>(j) - 1 || !collect(joint.before, row) || !collect(joint.after, row))
      return std::nullopt;
    modified &= joint.after.empty();
    for (const Step& step : joint.before) standard &= step.motion == Motion::turn_z;
    const Step turn_x{Motion::turn_x, row.alpha, ""}, move_x{Motion::move_x, row.a, ""};
    const Step turn_z{Motion::turn_z, row.theta, ""}, move_z{Motion::move_z, row.d, ""};
    if (joint.after.empty()) {
      other.joints[j].before = {turn_z};
      other.joints[j].after = {move_z, move_x, turn_x};
    } else {
      other.joints[j].before = {turn_x, move_x, move_z, turn_z};
      other.joints[j].after = {};
    }
  }
  if (!modified && !standard) return std::nullopt;
  return other;
}

}  // namespace steelyard
