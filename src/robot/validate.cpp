// The rules of a Robot, one small function per rule.
#include <fmt/format.h>

#include <cmath>
#include <set>

#include "steelyard/core/error.hpp"
#include "steelyard/core/linear_algebra.hpp"
#include "steelyard/robot/robot.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

[[noreturn]] void complain(const std::string& what, const std::string& joint, const std::string& limit,
                           const std::string& remedy) {
  throw InputError({what, {"", 0, 0, joint}, limit, remedy});
}

void check_steps(const Steps& steps, const std::string& owner) {
  for (const Step& step : steps) {
    if (std::isfinite(step.value)) continue;
    complain(
        fmt::format("{} = {} is not a finite number", step.name.empty() ? "a step" : step.name, step.value),
        owner, "finite lengths and angles", "correct the number");
  }
}

void check_names(const Robot& robot) {
  if (robot.joints.empty()) {
    complain("robot has no moving joint", "", "at least one revolute or prismatic joint", "add a joint");
  }
  std::set<std::string> joints, links;
  for (const Joint& joint : robot.joints) {
    if (joint.name.empty() || joint.link.empty()) {
      complain("a joint or its link has no name", joint.name, "", "give every joint and link a name");
    }
    if (!joints.insert(joint.name).second) {
      complain(fmt::format("joint name '{}' is used twice", joint.name), joint.name, "unique joint names",
               "rename one of the two joints");
    }
    if (!links.insert(joint.link).second || joint.link == robot.base_link) {
      complain(fmt::format("link name '{}' is used twice", joint.link), joint.name, "unique link names",
               "rename one of the two links");
    }
  }
}

void check_limits(const Joint& joint) {
  const Limits& limits = joint.limits;
  if (!(limits.lower <= limits.upper) || limits.lower == kInfinity || limits.upper == -kInfinity) {
    complain(fmt::format("position limits [{}, {}] are reversed or not numbers", limits.lower, limits.upper),
             joint.name, "lower <= upper", "swap or correct the two limits");
  }
  const auto positive = [&](double value, const char* what) {
    if (!(value > 0)) {
      complain(fmt::format("{} limit {} is not positive", what, value), joint.name, "a number above zero",
               "leave the limit out when there is none");
    }
  };
  positive(limits.velocity, "velocity");
  positive(limits.acceleration, "acceleration");
  positive(limits.effort, "effort");
}

void check_bounds(const Joint& joint) {
  for (const ParameterBound& bound : joint.bounds) {
    if (bound.lower <= bound.upper && bound.lower < kInfinity && bound.upper > -kInfinity) continue;
    complain(fmt::format("bounds [{}, {}] of {} are reversed or not numbers", bound.lower, bound.upper,
                         bound.parameter),
             joint.name, "lower <= upper", "swap or correct the two bounds");
  }
}

void check_joint(const Robot& robot, int i) {
  const Joint& joint = robot.joints[i];
  if (joint.parent < -1 || joint.parent >= i) {
    complain(fmt::format("parent index {} does not come before joint index {}", joint.parent, i), joint.name,
             "parents before children, -1 for the base", "sort the joints from the base outwards");
  }
  if (!joint.axis.allFinite() || std::abs(joint.axis.norm() - 1) > 1e-9) {
    complain(fmt::format("axis ({}, {}, {}) does not have unit length", joint.axis[0], joint.axis[1],
                         joint.axis[2]),
             joint.name, "a unit vector", "normalise the axis");
  }
  check_steps(joint.before, joint.name);
  check_steps(joint.after, joint.name);
  check_limits(joint);
  check_bounds(joint);
  if (joint.inertia && !joint.inertia->is_finite()) {
    complain(fmt::format("inertia of link '{}' has a parameter that is not a finite number", joint.link),
             joint.name, "finite numbers", "correct the number or leave the inertia out");
  }
}

bool is_joint(const Robot& robot, int i) {
  return i >= 0 && i < robot.size();
}

void check_mimics(const Robot& robot) {
  std::set<int> followers;
  for (const Mimic& mimic : robot.mimics) {
    if (!is_joint(robot, mimic.joint) || !is_joint(robot, mimic.master) || mimic.joint == mimic.master) {
      complain(fmt::format("mimic of joint index {} by {} does not name a pair of joints", mimic.master,
                           mimic.joint),
               "", "two different joints of the robot", "correct the mimic entry");
    }
    const std::string& name = robot.joints[mimic.joint].name;
    if (!std::isfinite(mimic.ratio) || !std::isfinite(mimic.offset)) {
      complain(fmt::format("mimic ratio {} or offset {} is not finite", mimic.ratio, mimic.offset), name,
               "finite numbers", "correct the number");
    }
    if (!followers.insert(mimic.joint).second) {
      complain("joint mimics two masters", name, "one master per joint", "remove one of the mimic entries");
    }
  }
  for (const Mimic& mimic : robot.mimics) {
    if (!followers.contains(mimic.master)) continue;
    complain(fmt::format("joint mimics '{}', which is a mimic joint itself", robot.joints[mimic.master].name),
             robot.joints[mimic.joint].name, "a master that moves on its own",
             "name the first master of the chain");
  }
}

void check_pairs(const Robot& robot) {
  std::set<int> partners;
  for (const CoupledPair& pair : robot.pairs) {
    if (!is_joint(robot, pair.joint) || !is_joint(robot, pair.partner) || pair.joint == pair.partner) {
      complain(fmt::format("coupled pair ({}, {}) does not name two joints", pair.joint, pair.partner), "",
               "two different joints of the robot", "correct the coupled pair");
    }
    if (!partners.insert(pair.partner).second) {
      complain("joint is the partner of two coupled pairs", robot.joints[pair.partner].name,
               "one pair per partner joint (its columns carry the partner's number)",
               "remove one of the pairs");
    }
  }
}

void check_transmission(const Robot& robot) {
  const Transmission& transmission = robot.transmission;
  if (!transmission.is_given()) return;
  const MatrixXd& N = transmission.matrix;
  const Index n = robot.dof();
  if (N.rows() != n || N.cols() != n || transmission.zero.size() != n) {
    complain(fmt::format("transmission matrix is {} x {} with {} zeros", N.rows(), N.cols(),
                         transmission.zero.size()),
             "transmission", fmt::format("{0} x {0} with {0} zeros, one for every independent joint", n),
             "give one row, column and zero per joint");
  }
  if (!N.allFinite() || !transmission.zero.allFinite()) {
    complain("transmission has an entry that is not a finite number", "transmission", "finite numbers",
             "correct the number");
  }
  const PivotedLu lu(N, 1e-12);  // relative to the largest pivot
  if (lu.is_invertible()) return;
  complain(fmt::format("transmission matrix is singular: rank {} of {}", lu.rank(), n), "transmission",
           "an invertible matrix", "a motor that moves no joint has a zero row: give its ratio");
}

}  // namespace

void validate(const Robot& robot) {
  check_names(robot);
  for (int i = 0; i < robot.size(); ++i) check_joint(robot, i);
  check_steps(robot.base, "base");
  check_steps(robot.tool, "tool");
  check_mimics(robot);
  check_pairs(robot);
  check_transmission(robot);
  if (!robot.gravity.allFinite()) {
    complain("gravity is not a finite vector", "", "three finite numbers [m/s^2]", "correct the number");
  }
  if (robot.tool_link < -1 || robot.tool_link >= robot.size()) {
    complain(fmt::format("tool link index {} is not a link", robot.tool_link), "",
             fmt::format("-1 (last link) or 0 ... {}", robot.size() - 1), "name an existing link");
  }
}

}  // namespace steelyard
