#include "urdf_patch.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <array>
#include <utility>

#include "steelyard/engines/xml_words.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

using Values = std::vector<std::pair<const char*, std::string>>;

std::string three(const Vector3& v) {
  return fmt::format("{} {} {}", v[0], v[1], v[2]);
}

struct Inertial {
  Vector3 com = Vector3::Zero();
  Vector3 rpy = Vector3::Zero();  // of the axes in which the inertia is given
  double mass = 0;
  Matrix3 inertia = Matrix3::Zero();
};

// By principal axes where the link's own are none: MuJoCo's diagonalisation of a full tensor costs up to
// 1e-6.
Inertial principal_inertial(const Inertia& inertia) {
  Inertial values{inertia.com(), Vector3::Zero(), inertia.mass(), inertia.inertia_com()};
  if (values.inertia.isDiagonal(0)) return values;
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> principal{Eigen::Matrix3d(values.inertia)};
  Matrix3 axes = principal.eigenvectors();
  if (axes.determinant() < 0) axes.col(0) *= -1;
  values.rpy = roll_pitch_yaw(axes);
  values.inertia = Vector3(principal.eigenvalues()).asDiagonal();
  return values;
}

Values inertia_values(const Matrix3& I) {
  return {{"ixx", fmt::format("{}", I(0, 0))}, {"ixy", fmt::format("{}", I(0, 1))},
          {"ixz", fmt::format("{}", I(0, 2))}, {"iyy", fmt::format("{}", I(1, 1))},
          {"iyz", fmt::format("{}", I(1, 2))}, {"izz", fmt::format("{}", I(2, 2))}};
}

// Replaces attribute values; false when one is missing.
bool patch_attributes(const XmlElement& element, const Values& values, TextPatch& patch) {
  for (const auto& [name, value] : values)
    if (element.attribute(name) == nullptr) return false;
  for (const auto& [name, value] : values) {
    const XmlAttribute* attribute = element.attribute(name);
    patch.replace(attribute->begin, attribute->end, value);
  }
  return true;
}

// As patch_attributes; attributes that are missing are added at the end of the tag.
void set_attributes(const XmlElement& element, const Values& values, TextPatch& patch) {
  std::string added;
  for (const auto& [name, value] : values) {
    if (const XmlAttribute* attribute = element.attribute(name)) {
      patch.replace(attribute->begin, attribute->end, value);
    } else {
      added += fmt::format(" {}=\"{}\"", name, value);
    }
  }
  if (added.empty()) return;
  const std::size_t at = element.attributes.empty() ? element.begin + 1 + element.name.size()
                                                    : element.attributes.back().end + 1;
  patch.replace(at, at, added);
}

std::string inertial_text(const Inertial& values, const std::string& indentation) {
  std::string inertia;
  for (const auto& [name, value] : inertia_values(values.inertia))
    inertia += fmt::format(" {}=\"{}\"", name, value);
  return fmt::format(
      "<inertial>\n{0}  <origin xyz=\"{1}\" rpy=\"{4}\"/>\n{0}  <mass value=\"{2}\"/>\n{0}  "
      "<inertia{3}/>\n{0}</inertial>",
      indentation, three(values.com), values.mass, inertia, three(values.rpy));
}

// Puts `text` into an element as its first child.
void insert_child(const XmlText& xml, const XmlElement& element, const std::string& text, TextPatch& patch) {
  const std::string indentation = xml.indentation(element);
  if (!element.is_empty) {
    patch.replace(element.tag_end, element.tag_end, "\n" + indentation + "  " + text);
    return;
  }
  const std::size_t slash = xml.text().rfind('/', element.tag_end);
  patch.replace(slash, element.tag_end,
                fmt::format(">\n{0}  {1}\n{0}</{2}>", indentation, text, element.name));
}

bool is_complete(const XmlText& xml, const XmlElement& inertial) {
  const XmlElement* origin = xml.child(inertial, "origin");
  const XmlElement* mass = xml.child(inertial, "mass");
  const XmlElement* inertia = xml.child(inertial, "inertia");
  if (origin == nullptr || mass == nullptr || inertia == nullptr) return false;
  for (const auto& [name, value] : inertia_values(Matrix3::Zero()))
    if (inertia->attribute(name) == nullptr) return false;
  return origin->attribute("xyz") != nullptr && mass->attribute("value") != nullptr;
}

}  // namespace

const XmlElement* urdf_element(const XmlText& xml, const std::string& kind, const std::string& name) {
  for (const XmlElement& element : xml.elements()) {
    const bool top =
        element.parent >= 0 && xml.elements()[static_cast<std::size_t>(element.parent)].parent < 0;
    if (top && element.name == kind && xml.value(element, "name") == name) return &element;
  }
  return nullptr;
}

std::vector<std::string> fixed_links(const XmlText& xml, const std::string& link) {
  std::vector<std::string> found = {link};
  for (std::size_t k = 0; k < found.size(); ++k)
    for (const XmlElement& joint : xml.elements()) {
      if (joint.name != "joint" || xml.value(joint, "type") != "fixed") continue;
      const XmlElement* parent = xml.child(joint, "parent");
      const XmlElement* child = xml.child(joint, "child");
      if (parent != nullptr && child != nullptr && xml.value(*parent, "link") == found[k])
        found.push_back(xml.value(*child, "link"));
    }
  found.erase(found.begin());
  return found;
}

void patch_inertial(const XmlText& xml, const XmlElement& link, const Inertia& inertia, TextPatch& patch) {
  Inertial values;
  if (inertia.mass() != 0) values = principal_inertial(inertia);
  const XmlElement* inertial = xml.child(link, "inertial");
  if (inertial == nullptr) {
    if (values.mass != 0) insert_child(xml, link, inertial_text(values, xml.indentation(link) + "  "), patch);
    return;
  }
  if (!is_complete(xml, *inertial)) {
    patch.replace(inertial->begin, inertial->end, inertial_text(values, xml.indentation(*inertial)));
    return;
  }
  const XmlElement& origin = *xml.child(*inertial, "origin");
  patch_attributes(origin, {{"xyz", three(values.com)}}, patch);
  // Zero where it is not given.
  if (!values.rpy.isZero(0) || origin.attribute("rpy") != nullptr)
    set_attributes(origin, {{"rpy", three(values.rpy)}}, patch);
  patch_attributes(*xml.child(*inertial, "mass"), {{"value", fmt::format("{}", values.mass)}}, patch);
  patch_attributes(*xml.child(*inertial, "inertia"), inertia_values(values.inertia), patch);
}

void patch_dynamics(const XmlText& xml, const XmlElement& joint, double damping, double friction,
                    TextPatch& patch) {
  const Values values = {{"damping", fmt::format("{}", damping)}, {"friction", fmt::format("{}", friction)}};
  if (const XmlElement* dynamics = xml.child(joint, "dynamics")) {
    set_attributes(*dynamics, values, patch);
  } else {
    insert_child(xml, joint, fmt::format("<dynamics damping=\"{}\" friction=\"{}\"/>", damping, friction),
                 patch);
  }
}

}  // namespace steelyard
