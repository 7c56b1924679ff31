#include "identify/robot_probe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "identify/earlier_model.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/core/random.hpp"
#include "steelyard/dynamics/dynamics.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

// A tenth of a millimetre per metre, and of a milliradian: angles of four decimals (1.5708) agree, and no log
// shows less.
constexpr double kSameRobot = 1e-4;

// Of the links, so that lengths count as much as masses: the largest from a joint to the next; at least 1 cm.
double natural_length(const Tree& tree) {
  double length = 0.01;
  for (const TreeJoint& joint : tree.joints)
    if (joint.parent >= 0) length = std::max(length, joint.pose(0).position.norm());
  return length;
}

struct MadeUp {
  VectorXd bodies, q, qd, qdd;  // all joints
};

// Every link's numbers depend on its place alone.
MadeUp made_up(const Robot& robot, const Tree& tree) {
  const double length = natural_length(tree);
  const auto n = static_cast<Index>(robot.size());
  MadeUp out{VectorXd(kParametersPerLink * n), VectorXd(n), VectorXd(n), VectorXd(n)};
  for (Index j = 0; j < n; ++j) {
    Random random(1, "probe of a robot", static_cast<std::uint64_t>(j));
    const double unit = robot.joints[static_cast<std::size_t>(j)].kind == JointKind::prismatic ? length : 1;
    out.q[j] = unit * random.uniform(-1, 1);
    out.qd[j] = unit * random.uniform(-3, 3);
    out.qdd[j] = unit * random.uniform(-10, 10);
    for (Index k = 0; k < kParametersPerLink; ++k)
      out.bodies[kParametersPerLink * j + k] = random.uniform(-1, 1) * std::pow(length, k == 0  ? 0
                                                                                        : k < 4 ? 1
                                                                                                : 2);
  }
  return out;
}

std::string vector_text(const std::vector<double>& v) {
  return fmt::format("({:.6g})", fmt::join(v, ", "));
}

// Of the joint's efforts, at rest and in motion.
double joint_difference(const RobotProbe& here, const RobotProbe& there, std::size_t joint, std::size_t dof) {
  const double scale = std::hypot(there.efforts[joint], there.efforts[dof + joint]);
  return std::hypot(here.efforts[joint] - there.efforts[joint],
                    here.efforts[dof + joint] - there.efforts[dof + joint]) /
         std::max(scale, 1e-300);
}

[[noreturn]] void refuse(const Setup& setup, const std::string& what, const std::string& remedy) {
  throw InputError(
      {what,
       {setup.study().robot ? "robot in memory" : setup.study().robot_path, 0, 0, ""},
       "the lengths, axes, zeros, couplings and gravity of the robot that the model is of; names, "
       "limits and masses may be others",
       remedy});
}

}  // namespace

RobotProbe robot_probe(const Robot& robot) {
  const Tree tree = compile(robot);
  const Coordinates independent = coordinates(robot);
  MadeUp state = made_up(robot, tree);
  const auto of_independent = [&](const VectorXd& all) {
    VectorXd own(static_cast<Index>(independent.joints.size()));
    for (Index c = 0; c < own.size(); ++c) own[c] = all[independent.joints[static_cast<std::size_t>(c)]];
    return VectorXd(independent.matrix * own);
  };
  const VectorXd q = of_independent(state.q) + independent.offset;
  RobotProbe probe;
  probe.gravity.assign(tree.gravity.begin(), tree.gravity.end());
  for (const double speed : {0.0, 1.0}) {
    const VectorXd qd = speed * of_independent(state.qd), qdd = speed * of_independent(state.qdd);
    VectorXd tau = newton_euler(tree, state.bodies, q, qd, qdd).tau;
    for (const CoupledPair& pair : robot.pairs) {
      tau[pair.joint] += qdd[pair.partner];
      tau[pair.partner] += qdd[pair.joint];
    }
    const VectorXd own = independent.matrix.transpose() * tau;
    probe.efforts.insert(probe.efforts.end(), own.begin(), own.end());
  }
  return probe;
}

void put_robot(const Setup& setup, Result& result) {
  result.robot_name = setup.robot.name;
  result.robot_hash = setup.robot_hash;
  result.robot_probe = robot_probe(setup.robot);
  result.dof = setup.robot.dof();
}

Setup with_robot_of(const Result& model, Setup setup) {
  if (model.robot_hash.empty() || model.robot_hash == setup.robot_hash) return setup;
  if (!model.robot_probe) {
    setup.warnings.push_back(
        {"the result is of an older version and of another robot file: only the names and terms of its base "
         "parameters are compared with this robot's, not gravity and zeros",
         {setup.study().path, 0, 0, ""},
         "",
         "run the study that made the result again to compare them"});
    return setup;
  }
  const RobotProbe here = robot_probe(setup.robot), &there = *model.robot_probe;
  const auto dof = static_cast<std::size_t>(setup.robot.dof());
  if (there.efforts.size() != here.efforts.size())
    refuse(setup,
           fmt::format("the model is not one of this robot: it has {} moving joints, the robot {}",
                       there.efforts.size() / 2, dof),
           "use the robot file of the study that made the model");
  std::size_t worst = 0;
  for (std::size_t j = 1; j < dof; ++j)
    if (joint_difference(here, there, j, dof) > joint_difference(here, there, worst, dof)) worst = j;
  if (joint_difference(here, there, worst, dof) <= kSameRobot) return setup;
  const Place place{setup.study().path, 0, 0, ""};
  match_base_values(model, setup.base, place);  // reports the base parameter that differs, if any
  const double gravity = std::hypot(here.gravity[0] - there.gravity[0], here.gravity[1] - there.gravity[1],
                                    here.gravity[2] - there.gravity[2]);
  if (gravity > kSameRobot * std::hypot(there.gravity[0], there.gravity[1], there.gravity[2]))
    refuse(
        setup,
        fmt::format("gravity is {} m/s² in the base frame, the model was identified with {}",
                    vector_text(here.gravity), vector_text(there.gravity)),
        "correct `gravity` or the pose of the base; a robot that is mounted otherwise needs a model of its "
        "own");
  const int joint = coordinates(setup.robot).joints[worst];
  refuse(setup,
         fmt::format("the robot moves otherwise than that of the model: joint '{}' differs most",
                     setup.robot.joints[static_cast<std::size_t>(joint)].name),
         "use the robot file of the study that made the model, or another of the same robot");
}

}  // namespace steelyard
