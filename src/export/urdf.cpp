#include "steelyard/export/formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "steelyard/core/error.hpp"
#include "steelyard/dynamics/dynamics.hpp"
#include "steelyard/engines/body_check.hpp"
#include "steelyard/robot/read.hpp"
#include "urdf_patch.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

// Angles and lengths by which the same robot may differ between its DH table and its URDF: right angles
// written with five digits.
constexpr double kSamePlace = 1e-4;

// Index in the URDF's robot of every joint of the model: by name where all names are there, else by order.
std::vector<int> matched_joints(const Robot& robot, const Robot& urdf, const std::string& name) {
  if (robot.size() != urdf.size())
    throw InputError(
        {fmt::format("the URDF has {} moving joints, the identified robot {}", urdf.size(), robot.size()),
         {name, 0, 0, {}},
         "the same joints in both",
         "give the URDF that describes the identified robot"});
  std::vector<int> match;
  for (const Joint& joint : robot.joints) match.push_back(urdf.index_of(joint.name));
  if (std::find(match.begin(), match.end(), -1) == match.end()) return match;
  for (int j = 0; j < robot.size(); ++j) match[static_cast<std::size_t>(j)] = j;
  return match;
}

// Pose of each model link's frame in the frame of the URDF's link; constant when both describe the same
// robot.
std::vector<Pose> link_frames(const Robot& robot, const Robot& urdf, const std::vector<int>& match,
                              const std::string& name) {
  const Tree tree = compile(robot), other = compile(urdf);
  std::vector<Pose> frames;
  for (const double angle : {0.0, 0.7, -0.4}) {
    VectorXd q(robot.size()), q_urdf(robot.size());
    for (int j = 0; j < robot.size(); ++j)
      q_urdf[match[static_cast<std::size_t>(j)]] = q[j] = angle * (1 + 0.3 * j);
    const std::vector<Pose> ours = forward_kinematics(tree, q), theirs = forward_kinematics(other, q_urdf);
    for (std::size_t j = 0; j < ours.size(); ++j) {
      const Pose frame = theirs[static_cast<std::size_t>(match[j])].inverse() * ours[j];
      if (angle == 0) {
        frames.push_back(frame);
      } else if ((frame.rotation - frames[j].rotation).norm() > kSamePlace ||
                 (frame.position - frames[j].position).norm() > kSamePlace) {
        throw InputError(
            {fmt::format("link '{}' of the URDF does not move like that of the identified robot",
                         urdf.joints[static_cast<std::size_t>(match[j])].link),
             {name, 0, 0, robot.joints[j].name},
             "joint axes, zeros and directions that agree within 0.1 mm and 1e-4 rad",
             "give the URDF of the identified robot, or correct its joint zeros and directions"});
      }
    }
  }
  for (Pose& frame : frames)  // the same frame: no digits are lost by turning
    if ((frame.rotation - Matrix3::Identity()).norm() < 1e-12 && frame.position.norm() < 1e-12)
      frame = Pose{};
  return frames;
}

// What the fixed links contribute to each moving link: the lumps of the URDF without the moving links' own
// inertials.
std::vector<Inertia> fixed_lumps(const XmlText& xml, const Robot& urdf, const std::string& name) {
  TextPatch bare;
  for (const Joint& joint : urdf.joints)
    patch_inertial(xml, *urdf_element(xml, "link", joint.link), Inertia::zero(), bare);
  const Robot rest = read_robot_urdf(bare.applied_to(xml.text()), name).robot;
  std::vector<Inertia> lumps;
  for (const Joint& joint : rest.joints) lumps.push_back(joint.inertia.value_or(Inertia::zero()));
  return lumps;
}

double read_back_error(const std::string& text, const std::string& name, const std::vector<Inertia>& wanted) {
  const Robot read = read_robot_urdf(text, name).robot;
  double error[3] = {0, 0, 0}, size[3] = {0, 0, 0};  // masses, first moments, inertias
  for (std::size_t j = 0; j < wanted.size(); ++j)
    for (Index k = 0; k < kParametersPerLink; ++k) {
      const int unit = k == 0 ? 0 : k < 4 ? 1 : 2;
      const double is = read.joints[j].inertia ? read.joints[j].inertia->to_standard()[k] : 0;
      error[unit] = std::max(error[unit], std::abs(is - wanted[j].to_standard()[k]));
      size[unit] = std::max(size[unit], std::abs(wanted[j].to_standard()[k]));
    }
  double largest = 0;
  for (int unit = 0; unit < 3; ++unit)
    largest = std::max(largest, size[unit] > 0 ? error[unit] / size[unit] : error[unit]);
  return largest;
}

}  // namespace

ExportedText to_urdf(const ExportModel& model, const std::string& original, const std::string& name) {
  const Robot urdf = read_robot_urdf(original, name).robot;
  const XmlText xml(original);
  const std::vector<int> match = matched_joints(model.robot, urdf, name);
  const std::vector<Pose> frames = link_frames(model.robot, urdf, match, name);
  const std::vector<Inertia> lumps = fixed_lumps(xml, urdf, name);
  std::vector<Inertia> wanted(urdf.joints.size());
  ExportedText out;
  TextPatch patch;
  for (std::size_t j = 0; j < match.size(); ++j) {
    const auto u = static_cast<std::size_t>(match[j]);
    const std::string& link = urdf.joints[u].link;
    out.joints.push_back(urdf.joints[u].name);
    const Inertia own =
        Inertia::from_standard(model.parameters.standard.segment<10>(10 * static_cast<Index>(j)));
    wanted[u] = own.expressed_in(frames[j]);
    require_body(wanted[u], link);
    const Inertia rest = Inertia::from_standard(wanted[u].to_standard() - lumps[u].to_standard());
    const bool keeps = rest.mass() > 0 && !rest.violated_law();
    patch_inertial(xml, *urdf_element(xml, "link", link), keeps ? rest : wanted[u], patch);
    if (!keeps)
      for (const std::string& fixed : fixed_links(xml, link)) {
        patch_inertial(xml, *urdf_element(xml, "link", fixed), Inertia::zero(), patch);
        out.zeroed.push_back(fixed);
      }
    if (j >= model.parameters.drives.size()) continue;
    const Friction& friction = model.parameters.drives[j].friction;
    patch_dynamics(xml, *urdf_element(xml, "joint", urdf.joints[u].name), friction.viscous, friction.coulomb,
                   patch);
  }
  out.text = patch.applied_to(original);
  out.error = read_back_error(out.text, name, wanted);
  out.not_carried = not_carried(model, false);
  return out;
}

}  // namespace steelyard
