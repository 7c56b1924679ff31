#include "steelyard/export/formats.hpp"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "sdf_reader.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/dynamics/dynamics.hpp"
#include "steelyard/engines/body_check.hpp"
#include "steelyard/engines/xml_words.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

std::string sdf_pose(const Pose& pose) {
  return fmt::format("<pose>{} {}</pose>", xml_numbers(pose.position),
                     xml_numbers(roll_pitch_yaw(pose.rotation)));
}

std::string sdf_link(const Joint& joint, const Inertia& inertia, const Pose& pose) {
  require_body(inertia, joint.link);
  const Matrix3 I = inertia.inertia_com();
  return fmt::format(
      "    <link name=\"{}\">\n      {}\n      <inertial>\n        {}\n        <mass>{}</mass>\n"
      "        "
      "<inertia><ixx>{}</ixx><ixy>{}</ixy><ixz>{}</ixz><iyy>{}</iyy><iyz>{}</iyz><izz>{}</izz></inertia>\n"
      "      </inertial>\n    </link>\n",
      xml_escaped(joint.link), sdf_pose(pose), sdf_pose({Matrix3::Identity(), inertia.com()}), inertia.mass(),
      I(0, 0), I(0, 1), I(0, 2), I(1, 1), I(1, 2), I(2, 2));
}

std::string sdf_joint(const Joint& joint, const std::string& parent, const Drive& drive) {
  const Pose after = to_pose(joint.after);
  std::string limits;
  auto out = std::back_inserter(limits);
  const Limits& given = joint.limits;
  if (std::isfinite(given.lower)) fmt::format_to(out, "<lower>{}</lower>", given.lower);
  if (std::isfinite(given.upper)) fmt::format_to(out, "<upper>{}</upper>", given.upper);
  if (std::isfinite(given.effort)) fmt::format_to(out, "<effort>{}</effort>", given.effort);
  if (std::isfinite(given.velocity)) fmt::format_to(out, "<velocity>{}</velocity>", given.velocity);
  if (limits.empty()) limits = "<lower>-1e+16</lower><upper>1e+16</upper>";  // the format's own unlimited
  return fmt::format(
      "    <joint name=\"{}\" type=\"{}\">\n      {}\n      <parent>{}</parent>\n      <child>{}</child>\n"
      "      <axis>\n        <xyz>{}</xyz>\n        <limit>{}</limit>\n"
      "        <dynamics><damping>{}</damping><friction>{}</friction></dynamics>\n      </axis>\n    "
      "</joint>\n",
      xml_escaped(joint.name), joint.kind == JointKind::revolute ? "revolute" : "prismatic",
      sdf_pose({Matrix3::Identity(), after.inverse().position}), xml_escaped(parent), xml_escaped(joint.link),
      xml_numbers(after.rotation.transpose() * joint.axis), limits, drive.friction.viscous,
      drive.friction.coulomb);
}

}  // namespace

ExportedText to_sdf(const ExportModel& model) {
  const Robot& robot = model.robot;
  const std::string base = robot.base_link.empty() ? "base" : robot.base_link;
  const std::vector<Pose> poses = forward_kinematics(compile(robot), VectorXd::Zero(robot.size()));
  ExportedText out;
  out.text = fmt::format(
      "<?xml version=\"1.0\"?>\n"
      "<!-- SI units, angles in rad. Link frames are those of the identified robot; links stand in the "
      "model's "
      "frame at joint\n"
      "     positions 0. Joints and their axes stand in the child's frame. inertial: centre of mass in the "
      "link "
      "frame, inertia\n"
      "     about it, axes parallel to the link frame. damping: viscous friction. friction: Coulomb "
      "friction. "
      "The robot was\n"
      "     identified with gravity {} in the frame in which the model stands. -->\n"
      "<sdf version=\"1.6\">\n  <model name=\"{}\">\n    {}\n"
      "    <link name=\"{}\"/>\n"
      "    <joint name=\"{}_in_world\" type=\"fixed\">\n      <parent>world</parent>\n      "
      "<child>{}</child>\n    </joint>\n",
      xml_numbers(robot.gravity), xml_escaped(robot.name), sdf_pose(to_pose(robot.base)), xml_escaped(base),
      xml_escaped(base), xml_escaped(base));
  for (std::size_t j = 0; j < robot.joints.size(); ++j) {
    const Joint& joint = robot.joints[j];
    const Inertia inertia =
        Inertia::from_standard(model.parameters.standard.segment<10>(10 * static_cast<Index>(j)));
    out.text += sdf_link(joint, inertia, poses[j]);
    out.text +=
        sdf_joint(joint, joint.parent < 0 ? base : robot.joints[static_cast<std::size_t>(joint.parent)].link,
                  model.parameters.drives.empty() ? Drive{} : model.parameters.drives[j]);
  }
  out.text += "  </model>\n</sdf>\n";
  out.not_carried = not_carried(model, false);
  out.error = sdf_error(out.text, model);
  return out;
}

}  // namespace steelyard
