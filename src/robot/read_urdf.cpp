// URDF: kinematics, inertials, limits and mimic joints. Meshes, transmissions, simulator settings are not
// read; joint damping and friction are listed as ignored.
#include <fmt/format.h>
#include <tinyxml2.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "robot/draft.hpp"
#include "robot/urdf_xml.hpp"
#include "steelyard/core/suggest.hpp"
#include "steelyard/robot/read.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

using Element = tinyxml2::XMLElement;

struct UrdfLink {
  std::optional<Inertia> inertia;
  Place place;
  bool is_child = false;
};
using Links = std::map<std::string, UrdfLink>;

// <inertial>: inertia about the centre of mass in the axes of its own origin.
std::optional<Inertia> read_inertial(UrdfContext& context, const Element& link) {
  const Element* inertial = child(context, link, "inertial");
  if (inertial == nullptr) return std::nullopt;
  const auto required = [&](const char* name) -> const Element& {
    if (const Element* found = child(context, *inertial, name)) return *found;
    context.fail(*inertial, fmt::format("<inertial> has no <{}>", name), "<mass> and <inertia>",
                 "add it or remove the <inertial>");
  };
  const double mass = number(context, required("mass"), "value");
  const Element& moments = required("inertia");
  const auto moment = [&](const char* name) { return number(context, moments, name); };
  const auto product = [&](const char* name) { return number_or(context, moments, name, 0); };
  const Matrix3 I = symmetric_matrix(moment("ixx"), product("ixy"), product("ixz"), moment("iyy"),
                                     product("iyz"), moment("izz"));
  Vector3 xyz = Vector3::Zero(), rpy = Vector3::Zero();
  if (const Element* origin = child(context, *inertial, "origin")) {
    xyz = triple_or(context, *origin, "xyz", xyz);
    rpy = triple_or(context, *origin, "rpy", rpy);
  }
  return Inertia::from_mass_com_inertia(mass, Vector3::Zero(), I)
      .expressed_in(to_pose(steps_from_xyz_rpy(xyz, rpy, "")));
}

Links read_links(UrdfContext& context, const Element& root) {
  Links links;
  for (const Element* element : children(root, "link")) {
    context.owner.clear();
    const std::string name = attribute(context, *element, "name");
    context.owner = name;
    UrdfLink link{read_inertial(context, *element), context.place(*element), false};
    if (link.inertia) warn_if_impossible(*link.inertia, link.place, context.warnings);
    if (!links.emplace(name, link).second) {
      context.fail(*element, fmt::format("link name {} is used twice", quoted(name)), "unique link names",
                   "rename one of the two links");
    }
  }
  context.owner.clear();
  if (links.empty())
    context.fail(root, "<robot> has no <link>", "a base and at least one moved link", "add the links");
  return links;
}

Vector3 read_axis(UrdfContext& context, const Element& element) {
  const Element* axis = child(context, element, "axis");
  if (axis == nullptr) return Vector3::UnitX();  // URDF's default
  const Vector3 direction = triple_or(context, *axis, "xyz", Vector3::UnitX());
  if (!(direction.norm() > 0)) {
    context.fail(*axis, "axis is the zero vector", "a direction",
                 "give the joint's axis, for example xyz=\"0 0 1\"");
  }
  return direction.stableNormalized();
}

// A zero velocity or effort limit is what exporters write for "not known".
Limits read_limits(UrdfContext& context, const Element& element, bool continuous) {
  Limits limits;
  const Element* limit = child(context, element, "limit");
  if (limit == nullptr) return limits;
  if (!continuous) {
    limits.lower = number_or(context, *limit, "lower", -kInfinity);
    limits.upper = number_or(context, *limit, "upper", kInfinity);
    if (limits.lower > limits.upper) {
      context.fail(*limit, fmt::format("position limits [{}, {}] are reversed", limits.lower, limits.upper),
                   "lower <= upper", "swap the two limits");
    }
  }
  const auto positive = [&](const char* name) {
    const double value = number_or(context, *limit, name, 0);
    if (value < 0) {
      context.fail(*limit, fmt::format("{} limit {} is negative", name, value),
                   "zero (none) or a positive number", "correct the limit");
    }
    return value > 0 ? value : kInfinity;
  };
  limits.velocity = positive("velocity");
  limits.effort = positive("effort");
  return limits;
}

std::string read_link_name(UrdfContext& context, const Element& joint, const char* role, const Links& links) {
  const Element* element = child(context, joint, role);
  if (element == nullptr) {
    context.fail(joint, fmt::format("<joint> has no <{}>", role), "one <parent> and one <child>",
                 fmt::format("add <{} link=\"...\"/>", role));
  }
  std::string name = attribute(context, *element, "link");
  if (links.contains(name)) return name;
  std::vector<std::string> names;
  for (const auto& [known, link] : links) names.push_back(known);
  Complaint complaint = unknown(fmt::format("{} link", role), name, names, context.place(*element));
  if (complaint.remedy.empty()) complaint.remedy = "add the <link> or correct the name";
  throw InputError(std::move(complaint));
}

DraftJoint read_joint(UrdfContext& context, const Element& element, Links& links) {
  context.owner.clear();
  context.owner = attribute(context, element, "name");
  DraftJoint entry;
  entry.place = context.place(element);
  entry.joint.name = context.owner;
  const std::string type = attribute(context, element, "type");
  const std::vector<std::string> types = {"revolute", "continuous", "prismatic", "fixed"};
  if (std::find(types.begin(), types.end(), type) == types.end()) {
    context.fail(element, fmt::format("joint type {} is not supported", quoted(type)),
                 "revolute, continuous, prismatic or fixed",
                 "replace a floating or planar joint by a fixed one, or by joints with one axis each");
  }
  entry.is_fixed = type == "fixed";
  entry.joint.kind = type == "prismatic" ? JointKind::prismatic : JointKind::revolute;
  entry.parent = read_link_name(context, element, "parent", links);
  entry.parent_place = entry.place;
  entry.joint.link = read_link_name(context, element, "child", links);
  UrdfLink& link = links.at(entry.joint.link);
  link.is_child = true;
  entry.joint.inertia = link.inertia;
  if (const Element* origin = child(context, element, "origin")) {
    entry.joint.before =
        steps_from_xyz_rpy(triple_or(context, *origin, "xyz", Vector3::Zero()),
                           triple_or(context, *origin, "rpy", Vector3::Zero()), entry.joint.name);
  }
  if (entry.is_fixed) return entry;
  entry.joint.axis = read_axis(context, element);
  entry.joint.limits = read_limits(context, element, type == "continuous");
  if (const Element* mimic = child(context, element, "mimic")) {
    entry.mimic = {attribute(context, *mimic, "joint"), number_or(context, *mimic, "multiplier", 1),
                   number_or(context, *mimic, "offset", 0), context.place(*mimic)};
  }
  return entry;
}

std::string find_base(const UrdfContext& context, const Element& root, const Links& links) {
  std::vector<std::string> roots;
  for (const auto& [name, link] : links) {
    if (!link.is_child) roots.push_back(name);
  }
  if (roots.size() == 1) return roots.front();
  if (roots.empty()) {
    context.fail(root, "every link is the child of a joint: the joints form a cycle",
                 "a tree with one base link", "remove the joint that closes the loop");
  }
  throw InputError({fmt::format("the robot has {} base links: {}", roots.size(), fmt::join(roots, ", ")),
                    links.at(roots[1]).place, "one link without a joint above it",
                    "connect the others by joints (type=\"fixed\") or remove them"});
}

// One warning for all joints: friction and damping are identified, not assumed.
void list_ignored_dynamics(UrdfContext& context, const Element& root) {
  std::string names;
  Place place;
  for (const Element* joint : children(root, "joint")) {
    const Element* dynamics = joint->FirstChildElement("dynamics");
    if (dynamics == nullptr || !has_attribute(*joint, "name")) continue;
    const UrdfContext own{context.file, joint->Attribute("name")};
    if (number_or(own, *dynamics, "damping", 0) == 0 && number_or(own, *dynamics, "friction", 0) == 0)
      continue;
    if (names.empty()) place = context.place(*dynamics);
    names += (names.empty() ? "" : ", ") + std::string(joint->Attribute("name"));
  }
  if (names.empty()) return;
  context.warnings.push_back({"<dynamics> damping and friction are ignored for joints " + names, place, "",
                              "declare friction terms in the study; they are identified from the log"});
}

// Angles such as 1.5708 are taken as written. They tilt axes by some 1e-6 rad, which splits base parameters
// that an exact right angle would group.
void list_rounded_angles(UrdfContext& context, const Draft& draft) {
  constexpr double kQuarter = std::numbers::pi / 2;
  std::string names;
  Place place;
  for (const DraftJoint& entry : draft.joints) {
    const bool rounded =
        std::any_of(entry.joint.before.begin(), entry.joint.before.end(), [&](const Step& step) {
          const double error = std::abs(std::remainder(step.value, kQuarter));
          return is_turn(step.motion) && std::abs(step.value) > 1 && error > 1e-14 && error < 1e-4;
        });
    if (!rounded) continue;
    if (names.empty()) place = entry.place;
    names += (names.empty() ? "" : ", ") + entry.joint.name;
  }
  if (names.empty()) return;
  context.warnings.push_back({"rpy holds right angles rounded to few digits, for joints " + names, place,
                              "1.5707963267948966 for pi/2",
                              "write more digits where right angles are meant"});
}

// A URDF link without <inertial> has no mass, as long as the file gives masses at all.
void fill_absent_inertia(Assembly& assembly, const Links& links) {
  for (Joint& joint : assembly.robot.joints) {
    if (joint.inertia) continue;
    joint.inertia = Inertia::zero();
    Place place = links.at(joint.link).place;
    place.joint = joint.link;
    assembly.warnings.push_back(
        {fmt::format("link '{}' has no <inertial> and is treated as massless", joint.link), place, "",
         "add an <inertial> if the link has a mass"});
  }
}

}  // namespace

RobotFile read_robot_urdf(const std::string& text, const std::string& name) {
  UrdfContext context{name, ""};
  tinyxml2::XMLDocument document;
  const Element& root = parse_xml(text, context, document, "robot");
  Links links = read_links(context, root);
  Draft draft;
  for (const Element* element : children(root, "joint"))
    draft.joints.push_back(read_joint(context, *element, links));
  context.owner.clear();
  draft.base_link = find_base(context, root, links);
  draft.depth_first = true;
  draft.absent_is_zero = std::any_of(links.begin(), links.end(),
                                     [](const auto& entry) { return entry.second.inertia.has_value(); });
  Assembly assembly = assemble(draft);
  if (assembly.robot.joints.empty()) {
    context.fail(root, "robot has no moving joint", "at least one revolute, continuous or prismatic joint",
                 "check the joint types");
  }
  if (draft.absent_is_zero) fill_absent_inertia(assembly, links);
  assembly.robot.name = has_attribute(root, "name") ? attribute(context, root, "name") : "robot";
  finish(assembly, name);
  list_ignored_dynamics(context, root);
  list_rounded_angles(context, draft);
  std::vector<Complaint> warnings = std::move(context.warnings);
  warnings.insert(warnings.end(), assembly.warnings.begin(), assembly.warnings.end());
  return {std::move(assembly.robot), std::move(warnings)};
}

}  // namespace steelyard
