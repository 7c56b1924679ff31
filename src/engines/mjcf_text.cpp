#include "steelyard/engines/mjcf_text.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <iterator>

#include "steelyard/core/error.hpp"
#include "steelyard/engines/body_check.hpp"
#include "steelyard/engines/xml_words.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

std::string quaternion(const Eigen::Matrix3d& rotation) {
  const Eigen::Quaterniond turn(rotation);
  return fmt::format("{} {} {} {}", turn.w(), turn.x(), turn.y(), turn.z());
}

std::string inertial_element(const Inertia& inertia, const std::string& link) {
  require_body(inertia, link);
  if (inertia.mass() <= 0)
    throw InputError({fmt::format("link '{}' has no mass", link),
                      {},
                      "positive masses: MuJoCo cannot move massless bodies",
                      "export feasible parameters: add `feasible:` to the study"});
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> principal(Eigen::Matrix3d(inertia.inertia_com()));
  Eigen::Matrix3d axes = principal.eigenvectors();
  if (axes.determinant() < 0) axes.col(0) *= -1;
  return fmt::format("<inertial pos=\"{}\" quat=\"{}\" mass=\"{}\" diaginertia=\"{}\"/>",
                     xml_numbers(inertia.com()), quaternion(axes), inertia.mass(),
                     xml_numbers(principal.eigenvalues()));
}

std::string joint_element(const Joint& joint, const Drive& drive) {
  const Pose after = to_pose(joint.after);
  std::string text = fmt::format(
      "<joint name=\"{}\" type=\"{}\" pos=\"{}\" axis=\"{}\"", xml_escaped(joint.name),
      joint.kind == JointKind::revolute ? "hinge" : "slide", xml_numbers(after.inverse().position),
      xml_numbers(after.rotation.transpose() * joint.axis));
  auto out = std::back_inserter(text);
  if (std::isfinite(joint.limits.lower) && std::isfinite(joint.limits.upper))
    fmt::format_to(out, " limited=\"true\" range=\"{} {}\"", joint.limits.lower, joint.limits.upper);
  if (drive.rotor_inertia != 0) fmt::format_to(out, " armature=\"{}\"", drive.rotor_inertia);
  if (drive.friction.viscous != 0) fmt::format_to(out, " damping=\"{}\"", drive.friction.viscous);
  if (drive.friction.coulomb != 0) fmt::format_to(out, " frictionloss=\"{}\"", drive.friction.coulomb);
  return text + "/>";
}

void write_mjcf_body(const Robot& robot, const TrueParameters& parameters, int link, int depth,
                     std::string& text) {
  const Joint& joint = robot.joints[static_cast<std::size_t>(link)];
  const Pose rest = to_pose(joint.before) * to_pose(joint.after);
  const Drive drive = parameters.drives.empty() ? Drive{} : parameters.drives[static_cast<std::size_t>(link)];
  const Inertia inertia = Inertia::from_standard(parameters.standard.segment<10>(10 * link));
  const std::string blanks(static_cast<std::size_t>(2 * depth), ' ');
  text += fmt::format("{}<body name=\"{}\" pos=\"{}\" quat=\"{}\">\n", blanks, xml_escaped(joint.link),
                      xml_numbers(rest.position), quaternion(rest.rotation));
  text += blanks + "  " + inertial_element(inertia, joint.link) + "\n";
  text += blanks + "  " + joint_element(joint, drive) + "\n";
  for (int child = link + 1; child < robot.size(); ++child)
    if (robot.joints[static_cast<std::size_t>(child)].parent == link)
      write_mjcf_body(robot, parameters, child, depth + 1, text);
  text += blanks + "</body>\n";
}

std::string equalities(const Robot& robot) {
  if (robot.mimics.empty()) return {};
  std::string text = "  <equality>\n";
  for (const Mimic& mimic : robot.mimics)
    text += fmt::format("    <joint joint1=\"{}\" joint2=\"{}\" polycoef=\"{} {} 0 0 0\"/>\n",
                        xml_escaped(robot.joints[static_cast<std::size_t>(mimic.joint)].name),
                        xml_escaped(robot.joints[static_cast<std::size_t>(mimic.master)].name), mimic.offset,
                        mimic.ratio);
  return text + "  </equality>\n";
}

// Of the body that stands still. MuJoCo has a body "world" of its own, as many URDFs have.
std::string base_name(const Robot& robot) {
  std::string name = robot.base_link.empty() || robot.base_link == "world" ? "base" : robot.base_link;
  const auto is_taken = [&](const Joint& joint) { return joint.link == name; };
  while (std::any_of(robot.joints.begin(), robot.joints.end(), is_taken)) name += "_";
  return name;
}

}  // namespace

std::string mjcf_text(const Robot& robot, const TrueParameters& parameters) {
  const Pose base = to_pose(robot.base);
  std::string text = fmt::format(
      "<mujoco model=\"{}\">\n"
      "  <!-- SI units, angles in rad. Body frames are the link frames of the identified robot at joint "
      "positions 0;\n"
      "       joints are placed as in the robot. inertial: centre of mass and principal axes in the "
      "body frame,\n"
      "       moments about them. armature: rotor inertia seen at the joint. damping: viscous friction. "
      "frictionloss:\n"
      "       Coulomb friction, which MuJoCo keeps as a soft constraint. -->\n"
      "  <compiler angle=\"radian\" inertiafromgeom=\"false\" balanceinertia=\"false\"/>\n"
      "  <option gravity=\"{}\"/>\n  <worldbody>\n    <body name=\"{}\" pos=\"{}\" quat=\"{}\">\n",
      xml_escaped(robot.name), xml_numbers(robot.gravity), xml_escaped(base_name(robot)),
      xml_numbers(base.position), quaternion(base.rotation));
  for (int link = 0; link < robot.size(); ++link)
    if (robot.joints[static_cast<std::size_t>(link)].parent < 0)
      write_mjcf_body(robot, parameters, link, 3, text);
  return text + "    </body>\n  </worldbody>\n" + equalities(robot) + "</mujoco>\n";
}

}  // namespace steelyard
