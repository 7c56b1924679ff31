#include "sdf_reader.hpp"

#include <algorithm>
#include <map>
#include <sstream>

#include "read_back.hpp"
#include "steelyard/core/error.hpp"
#include "xml_text.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

std::string plain(std::string text) {
  const std::pair<const char*, const char*> words[] = {{"&lt;", "<"}, {"&quot;", "\""}, {"&amp;", "&"}};
  for (const auto& [word, sign] : words)
    for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; ++at)
      text.replace(at, std::string(word).size(), sign);
  return text;
}

class SdfReader {
 public:
  explicit SdfReader(const std::string& text) : xml_(text) {}

  ExportModel model(const Robot& original) const {
    ExportModel out;
    std::map<std::string, Pose> poses;  // of links, in the model's frame
    for (const XmlElement& element : xml_.elements()) {
      if (element.name == "link") poses[name_of(element)] = pose_of(element);
      if (element.name == "model") {
        const Pose base = pose_of(element);
        out.robot.gravity = base.rotation.transpose() * original.gravity;
      }
    }
    std::map<std::string, int> numbers;
    std::vector<Vector10> parameters;
    for (const XmlElement& element : xml_.elements())
      if (element.name == "joint" && xml_.value(element, "type") != "fixed") {
        const std::string parent = plain(content(element, "parent")),
                          child = plain(content(element, "child"));
        const auto found = numbers.find(parent);
        numbers[child] = static_cast<int>(parameters.size());
        const Pose rest = poses.at(parent).inverse() * poses.at(child);
        out.robot.joints.push_back(
            joint_of(element, child, found == numbers.end() ? -1 : found->second, rest, pose_of(element)));
        out.parameters.drives.push_back(drive_of(element));
        parameters.push_back(inertia_of(child).to_standard());
      }
    out.parameters.standard.resize(10 * static_cast<Index>(parameters.size()));
    for (std::size_t j = 0; j < parameters.size(); ++j)
      out.parameters.standard.segment<10>(10 * static_cast<Index>(j)) = parameters[j];
    return out;
  }

 private:
  std::string name_of(const XmlElement& element) const { return plain(xml_.value(element, "name")); }

  std::string content(const XmlElement& element, const char* name) const {
    const XmlElement* child = xml_.child(element, name);
    require(child != nullptr, "an element of our own SDF file");
    return xml_.text().substr(child->tag_end, xml_.text().find('<', child->tag_end) - child->tag_end);
  }
  double number(const XmlElement& element, const char* name) const {
    return std::stod(content(element, name));
  }

  Pose pose_of(const XmlElement& element) const {
    if (xml_.child(element, "pose") == nullptr) return {};
    std::istringstream words(content(element, "pose"));
    Vector3 xyz, rpy;
    words >> xyz[0] >> xyz[1] >> xyz[2] >> rpy[0] >> rpy[1] >> rpy[2];
    return to_pose(steps_from_xyz_rpy(xyz, rpy, ""));
  }

  // pose at q = rest · (about the joint's place): before = rest · place, after = place⁻¹.
  Joint joint_of(const XmlElement& element, const std::string& link, int parent, const Pose& rest,
                 const Pose& place) const {
    const XmlElement& axis = *xml_.child(element, "axis");
    std::istringstream words(content(axis, "xyz"));
    Joint joint;
    joint.name = name_of(element);
    joint.link = link;
    joint.parent = parent;
    joint.kind = xml_.value(element, "type") == "prismatic" ? JointKind::prismatic : JointKind::revolute;
    words >> joint.axis[0] >> joint.axis[1] >> joint.axis[2];
    joint.before = pose_steps(rest * place);
    joint.after = pose_steps(place.inverse());
    return joint;
  }

  Drive drive_of(const XmlElement& element) const {
    const XmlElement& dynamics = *xml_.child(*xml_.child(element, "axis"), "dynamics");
    Drive drive;
    drive.friction.viscous = number(dynamics, "damping");
    drive.friction.coulomb = number(dynamics, "friction");
    return drive;
  }

  Inertia inertia_of(const std::string& link) const {
    for (const XmlElement& element : xml_.elements())
      if (element.name == "link" && name_of(element) == link) {
        const XmlElement& inertial = *xml_.child(element, "inertial");
        const XmlElement& I = *xml_.child(inertial, "inertia");
        return Inertia::from_mass_com_inertia(
            number(inertial, "mass"), pose_of(inertial).position,
            symmetric_matrix(number(I, "ixx"), number(I, "ixy"), number(I, "ixz"), number(I, "iyy"),
                             number(I, "iyz"), number(I, "izz")));
      }
    throw InternalError("a link is missing in our own SDF file");
  }

  XmlText xml_;
};

}  // namespace

double sdf_error(const std::string& text, const ExportModel& model) {
  return effort_error(SdfReader(text).model(model.robot), model, {.coulomb = true});
}

}  // namespace steelyard
