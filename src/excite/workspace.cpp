#include "steelyard/excite/motion.hpp"

#include <fmt/format.h>

#include "steelyard/core/error.hpp"
#include "steelyard/dynamics/dynamics.hpp"

namespace steelyard::inline STEELYARD_ABI {

void Workspace::validate(const Robot& robot) const {
  const auto fail = [](const std::string& what, const std::string& limit) {
    throw InputError({what, {}, limit, "correct the workspace"});
  };
  for (const HalfSpace& space : half_spaces)
    if (!space.normal.allFinite() || !(space.normal.norm() > 0) || !std::isfinite(space.least))
      fail(fmt::format("half-space '{}' has no direction", space.name), "a normal that is not zero");
  for (const KeepOutBox& box : boxes)
    for (int k = 0; k < 3; ++k)
      if (!(box.lower[k] < box.upper[k]))
        fail(fmt::format("box '{}' is empty along {}: from {} to {}", box.name, "xyz"[k], box.lower[k],
                         box.upper[k]),
             "lower below upper");
  for (const Capsule& capsule : capsules) {
    if (capsule.link < -1 || capsule.link >= robot.size())
      fail(fmt::format("capsule '{}' is on a link that the robot does not have", capsule.name), "a link");
    if (!(capsule.radius > 0) || !capsule.from.allFinite() || !capsule.to.allFinite())
      fail(fmt::format("capsule '{}' has radius {}", capsule.name, capsule.radius), "above 0");
  }
  if (!(clearance >= 0)) fail(fmt::format("clearance {} m", clearance), "not negative");
}

HalfSpace table_at(double height) {
  return {"table", Vector3::UnitZ(), height};
}

std::vector<Capsule> skeleton_capsules(const Robot& robot, double radius) {
  const Tree tree = compile(robot);
  const std::vector<Pose> poses = forward_kinematics(tree, VectorXd::Zero(tree.size()));
  std::vector<Capsule> capsules;
  for (int i = 0; i < tree.size(); ++i) {
    const Pose& own = poses[static_cast<std::size_t>(i)];
    std::vector<Vector3> ends;
    for (int j = i + 1; j < tree.size(); ++j)
      if (tree.joints[static_cast<std::size_t>(j)].parent == i)
        ends.emplace_back(own.rotation.transpose() *
                          (poses[static_cast<std::size_t>(j)].position - own.position));
    if (i == tree.tool_link) ends.emplace_back(tree.tool.position);
    if (ends.empty()) ends.emplace_back(Vector3::Zero());
    for (const Vector3& end : ends)
      capsules.push_back({robot.joints[static_cast<std::size_t>(i)].link, i, Vector3::Zero(), end, radius});
  }
  return capsules;
}

}  // namespace steelyard
