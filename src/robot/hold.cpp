#include "steelyard/robot/robot.hpp"

#include <fmt/format.h>

#include <cmath>

#include "steelyard/core/error.hpp"
#include "steelyard/core/suggest.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

int joint_to_hold(const Robot& robot, const std::string& name) {
  std::vector<std::string> names;
  for (int i = 0; i < robot.size(); ++i) {
    names.push_back(robot.joints[i].name);
    if (names.back() == name) return i;
  }
  throw InputError(unknown("joint", name, names));
}

// The motion of a held joint as fixed steps.
Steps held_motion(const Joint& joint, double position) {
  if (position == 0) return {};
  const bool turns = joint.kind == JointKind::revolute;
  for (int axis = 0; axis < 3; ++axis) {
    if (std::abs(std::abs(joint.axis[axis]) - 1) > 1e-15) continue;
    const auto motion = static_cast<Motion>(axis + (turns ? 0 : 3));
    return {{motion, joint.axis[axis] * position, joint.name + ".held"}};
  }
  if (!turns) return steps_from_xyz_rpy(joint.axis * position, Vector3::Zero(), joint.name + ".held");
  const Matrix3 R = turn_about(joint.axis, position);
  const Vector3 rpy(std::atan2(R(2, 1), R(2, 2)), std::atan2(-R(2, 0), std::hypot(R(0, 0), R(1, 0))),
                    std::atan2(R(1, 0), R(0, 0)));
  return steps_from_xyz_rpy(Vector3::Zero(), rpy, joint.name + ".held");
}

// Where a link of the old robot is in the new one: a moving link (−1: base) and steps in its frame.
struct NewHome {
  int index = -1;
  Steps steps;
};

Steps chained(Steps steps, const Steps& more) {
  steps.insert(steps.end(), more.begin(), more.end());
  return steps;
}

struct Moves {
  std::vector<bool> joint;
  std::vector<double> position;  // of those that are held
};

Moves which_move(const Robot& robot, const std::vector<std::string>& moving,
                 const std::map<std::string, double>& positions) {
  const auto n = static_cast<std::size_t>(robot.size());
  Moves moves{std::vector<bool>(n, false), std::vector<double>(n, 0)};
  for (const std::string& name : moving)
    moves.joint[static_cast<std::size_t>(joint_to_hold(robot, name))] = true;
  for (const auto& [name, position] : positions) {
    const auto held = static_cast<std::size_t>(joint_to_hold(robot, name));
    if (moves.joint[held])
      throw InputError(
          {fmt::format("joint '{}' is held and moves", name), {}, "one of the two", "name it once"});
    moves.position[held] = position;
  }
  for (const Mimic& mimic : robot.mimics) {
    const auto joint = static_cast<std::size_t>(mimic.joint), master = static_cast<std::size_t>(mimic.master);
    if (moves.joint[joint])
      throw InputError(
          {fmt::format("joint '{}' only follows '{}'", robot.joints[joint].name, robot.joints[master].name),
           {},
           "joints that move on their own",
           "name the joint it follows"});
    moves.joint[joint] = moves.joint[master];
    moves.position[joint] = mimic.ratio * moves.position[master] + mimic.offset;
  }
  return moves;
}

}  // namespace

Robot hold_joints(const Robot& robot, const std::vector<std::string>& moving,
                  const std::map<std::string, double>& positions) {
  const Moves moves = which_move(robot, moving, positions);
  Robot result = robot;
  result.joints.clear(), result.mimics.clear(), result.pairs.clear();
  std::vector<NewHome> homes;
  for (std::size_t i = 0; i < moves.joint.size(); ++i) {
    const Joint& joint = robot.joints[i];
    const NewHome parent = joint.parent < 0 ? NewHome{} : homes[static_cast<std::size_t>(joint.parent)];
    if (moves.joint[i]) {
      homes.push_back({result.size(), {}});
      result.joints.push_back(joint);
      result.joints.back().parent = parent.index;
      result.joints.back().before = chained(parent.steps, joint.before);
      continue;
    }
    const Steps fixed = chained(chained(joint.before, held_motion(joint, moves.position[i])), joint.after);
    homes.push_back({parent.index, chained(parent.steps, fixed)});
    if (parent.index < 0 || !joint.inertia) continue;
    // What is not known of the carrying link stays unknown.
    std::optional<Inertia>& carrier = result.joints[static_cast<std::size_t>(parent.index)].inertia;
    if (carrier) carrier = *carrier + joint.inertia->expressed_in(to_pose(homes.back().steps));
  }
  if (result.joints.empty())
    throw InputError({"no joint moves", {}, "at least one", "name the joints that the log has"});
  const auto home = [&](int link) -> const NewHome& { return homes[static_cast<std::size_t>(link)]; };
  for (const Mimic& mimic : robot.mimics)
    if (moves.joint[static_cast<std::size_t>(mimic.joint)])
      result.mimics.push_back({home(mimic.joint).index, home(mimic.master).index, mimic.ratio, mimic.offset});
  for (const CoupledPair& pair : robot.pairs)
    if (moves.joint[static_cast<std::size_t>(pair.joint)] &&
        moves.joint[static_cast<std::size_t>(pair.partner)])
      result.pairs.push_back({home(pair.joint).index, home(pair.partner).index});
  if (robot.transmission.is_given() && result.dof() != robot.dof())
    throw InputError({"a robot with a transmission has joints that are held",
                      {},
                      "",
                      "leave the transmission out of the robot's file, and give the study one of the moving "
                      "joints"});
  const NewHome& tool = home(tool_link(robot));
  result.tool_link = tool.index;
  result.tool = tool.index < 0 ? Steps{} : chained(tool.steps, robot.tool);
  validate(result);
  return result;
}

}  // namespace steelyard
