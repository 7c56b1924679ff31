#include "robot/mjcf_xml.hpp"

#include <fmt/format.h>
#include <tinyxml2.h>

#include <Eigen/Geometry>
#include <cctype>
#include <cmath>
#include <numbers>

#include "steelyard/core/suggest.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

using Element = tinyxml2::XMLElement;

std::string text_or(const Element& element, const char* name, const char* absent) {
  return element.Attribute(name) == nullptr ? absent : element.Attribute(name);
}

Matrix3 from_euler(const UrdfContext& context, const Element& element, const MjcfSettings& settings) {
  const double unit = settings.degrees ? std::numbers::pi / 180 : 1;
  const VectorXd angles = mjcf_numbers(context, element, "euler", 3);
  Matrix3 rotation = Matrix3::Identity();
  for (std::size_t k = 0; k < 3; ++k) {
    const char letter = settings.sequence[k];
    const Matrix3 step = turn(std::tolower(letter) - 'x', unit * angles[static_cast<Index>(k)]);
    rotation = std::isupper(letter) != 0 ? Matrix3(step * rotation) : Matrix3(rotation * step);
  }
  return rotation;
}

Matrix3 from_axes(const UrdfContext& context, const Element& element) {
  const VectorXd six = mjcf_numbers(context, element, "xyaxes", 6);
  const Eigen::Vector3d x = six.head<3>(), y = six.tail<3>();
  const Eigen::Vector3d across = x.cross(y);
  if (!(across.norm() > 0))
    context.fail(element, "xyaxes are parallel or zero", "two directions", "give the x and y axes");
  Matrix3 rotation;
  rotation.col(0) = x.stableNormalized();
  rotation.col(2) = across.stableNormalized();
  rotation.col(1) = Eigen::Vector3d(rotation.col(2)).cross(Eigen::Vector3d(rotation.col(0)));
  return rotation;
}

// The shortest turn of the z axis into the direction.
Matrix3 from_z(const UrdfContext& context, const Element& element) {
  const Eigen::Vector3d z = mjcf_numbers(context, element, "zaxis", 3);
  if (!(z.norm() > 0)) context.fail(element, "zaxis is the zero vector", "a direction", "give the z axis");
  return Eigen::Quaterniond::FromTwoVectors(Eigen::Vector3d::UnitZ(), z).toRotationMatrix();
}

}  // namespace

VectorXd mjcf_numbers(const UrdfContext& context, const Element& element, const char* name, int count) {
  VectorXd values = VectorXd::Zero(count);
  if (!has_attribute(element, name)) return values;
  const std::vector<std::string> words = words_of(element.Attribute(name));
  if (words.size() != static_cast<std::size_t>(count))
    context.fail(element,
                 fmt::format("attribute {}={} of <{}> has {} numbers", name, quoted(element.Attribute(name)),
                             element.Name(), words.size()),
                 fmt::format("{} numbers", count), "correct the attribute");
  for (int k = 0; k < count; ++k) {
    const NumberOrReason number = plain_number_from(words[static_cast<std::size_t>(k)]);
    if (!number.reason.empty())
      context.fail(element,
                   fmt::format("attribute {} of <{}>: {} is not a number: {}", name, element.Name(),
                               quoted(words[static_cast<std::size_t>(k)]), number.reason),
                   "a finite decimal number", "correct the number");
    values[k] = number.value;
  }
  return values;
}

MjcfSettings read_mjcf_settings(UrdfContext& context, const Element& root) {
  MjcfSettings settings;
  for (const Element* compiler : children(root, "compiler")) {
    const std::string angle = text_or(*compiler, "angle", settings.degrees ? "degree" : "radian");
    if (angle != "degree" && angle != "radian")
      context.fail(*compiler, fmt::format("angle is {}", quoted(angle)), "degree or radian",
                   "correct the attribute");
    settings.degrees = angle == "degree";
    settings.sequence = text_or(*compiler, "eulerseq", settings.sequence.c_str());
    if (settings.sequence.size() != 3 || settings.sequence.find_first_not_of("xyzXYZ") != std::string::npos)
      context.fail(*compiler, fmt::format("eulerseq is {}", quoted(settings.sequence)), "three of xyzXYZ",
                   "correct the attribute");
    settings.inertia_from_geoms = text_or(*compiler, "inertiafromgeom", "auto") == "true";
    if (text_or(*compiler, "coordinate", "local") != "local")
      context.fail(*compiler, "coordinates are global", "local",
                   "let MuJoCo write the compiled model first (mj_saveLastXML)");
    if (number_or(context, *compiler, "settotalmass", 0) > 0)
      context.fail(*compiler, "settotalmass scales all masses", "masses as they are",
                   "let MuJoCo write the compiled model first (mj_saveLastXML)");
  }
  for (const Element* option : children(root, "option"))
    settings.gravity = triple_or(context, *option, "gravity", settings.gravity);
  return settings;
}

Matrix3 mjcf_rotation(const UrdfContext& context, const Element& element, const MjcfSettings& settings) {
  int given = 0;
  for (const char* name : {"quat", "axisangle", "euler", "xyaxes", "zaxis"})
    given += has_attribute(element, name);
  if (given > 1) context.fail(element, "several orientations", "one", "keep one of them");
  if (has_attribute(element, "euler")) return from_euler(context, element, settings);
  if (has_attribute(element, "xyaxes")) return from_axes(context, element);
  if (has_attribute(element, "zaxis")) return from_z(context, element);
  if (has_attribute(element, "axisangle")) {
    const VectorXd four = mjcf_numbers(context, element, "axisangle", 4);
    if (!(four.head<3>().norm() > 0))
      context.fail(element, "the axis of axisangle is zero", "a direction", "give the axis");
    return turn_about(four.head<3>().stableNormalized(),
                      four[3] * (settings.degrees ? std::numbers::pi / 180 : 1));
  }
  if (!has_attribute(element, "quat")) return Matrix3::Identity();
  const VectorXd four = mjcf_numbers(context, element, "quat", 4);
  if (!(four.norm() > 0)) context.fail(element, "quat is zero", "w x y z", "give the quaternion");
  return Eigen::Quaterniond(four[0], four[1], four[2], four[3]).normalized().toRotationMatrix();
}

Vector3 rpy_from_rotation(const Matrix3& R) {
  const double flat = std::hypot(R(0, 0), R(1, 0));
  const double pitch = std::atan2(-R(2, 0), flat);
  if (flat < 1e-9) return {0, pitch, std::atan2(-R(0, 1), R(1, 1))};  // z and x turn about one line
  return {std::atan2(R(2, 1), R(2, 2)), pitch, std::atan2(R(1, 0), R(0, 0))};
}

JointDefaults::JointDefaults(UrdfContext& context, const Element& root) {
  for (const Element* element : children(root, "default")) {
    if (root_.empty()) root_ = text_or(*element, "class", "main");
    add(context, *element, "");
  }
}

void JointDefaults::add(UrdfContext& context, const Element& element, const std::string& outer) {
  const std::string name = text_or(element, "class", outer.empty() ? root_.c_str() : "");
  if (name.empty()) context.fail(element, "a nested <default> has no class", "a name", "give it a class");
  const auto [found, fresh] = classes_.try_emplace(name);
  // Only the outermost <default> may come in several pieces; a class inside itself would have no end.
  if (!fresh && !(outer.empty() && found->second.outer.empty())) {
    context.fail(element, fmt::format("default class {} is given twice", quoted(name)),
                 "one <default> per class", "rename one of the two");
  }
  Class& own = found->second;
  if (const Element* joint = child(context, element, "joint")) own.joint = joint;
  own.outer = outer;
  for (const Element* inner : children(element, "default")) add(context, *inner, name);
}

const Element* JointDefaults::holder(const std::string& name, const char* attribute) const {
  for (std::string at = name.empty() ? root_ : name; !at.empty();) {
    const auto found = classes_.find(at);
    if (found == classes_.end()) return nullptr;
    const Element* joint = found->second.joint;
    if (joint != nullptr && has_attribute(*joint, attribute)) return joint;
    at = found->second.outer;
  }
  return nullptr;
}

}  // namespace steelyard
