// MJCF: bodies, hinge and slide joints with their defaults, inertials, limits, gravity, linear couplings of
// joints. Inertias that MuJoCo would compute from geoms are unknown here; armature, damping and friction are
// identified, not read.
#include <fmt/format.h>
#include <tinyxml2.h>

#include <cmath>
#include <cstring>
#include <numbers>

#include "robot/draft.hpp"
#include "robot/mjcf_xml.hpp"
#include "robot/urdf_xml.hpp"
#include "steelyard/core/suggest.hpp"
#include "steelyard/robot/read.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

using Element = tinyxml2::XMLElement;

constexpr const char* kWorld = "world";

struct MjcfReader {
  UrdfContext context;
  MjcfSettings settings;
  JointDefaults defaults;
  Draft draft;
  std::vector<std::string> without_inertia;  // bodies whose inertia MuJoCo takes from geoms
  std::vector<std::string> with_dynamics;    // joints with armature, damping or friction
};

std::optional<Inertia> read_mjcf_inertial(MjcfReader& reader, const Element& body, const std::string& name) {
  UrdfContext& context = reader.context;
  const Element* inertial = child(context, body, "inertial");
  if (inertial == nullptr || reader.settings.inertia_from_geoms) {
    if (body.FirstChildElement("geom") == nullptr && inertial == nullptr) return Inertia::zero();
    reader.without_inertia.push_back(name);
    return std::nullopt;
  }
  const double mass = number(context, *inertial, "mass");
  Matrix3 I = Matrix3::Zero();
  if (has_attribute(*inertial, "fullinertia")) {
    const VectorXd six = mjcf_numbers(context, *inertial, "fullinertia", 6);  // xx yy zz xy xz yz
    I = symmetric_matrix(six[0], six[3], six[4], six[1], six[5], six[2]);
  } else {
    I.diagonal() = mjcf_numbers(context, *inertial, "diaginertia", 3);
  }
  const Pose at{mjcf_rotation(context, *inertial, reader.settings),
                triple_or(context, *inertial, "pos", Vector3::Zero())};
  const Inertia inertia = Inertia::from_mass_com_inertia(mass, Vector3::Zero(), I).expressed_in(at);
  warn_if_impossible(inertia, context.place(*inertial), context.warnings);
  return inertia;
}

// An attribute of the joint itself, or of the nearest default that gives it.
struct JointAttributes {
  const MjcfReader& reader;
  const Element& joint;
  std::string childclass;  // of the bodies above

  const Element& holder(const char* name) const {
    if (has_attribute(joint, name)) return joint;
    const std::string own = has_attribute(joint, "class") ? joint.Attribute("class") : childclass;
    const Element* found = reader.defaults.holder(own, name);
    return found == nullptr ? joint : *found;
  }
  std::string text(const char* name, const char* absent) const {
    const Element& at = holder(name);
    return has_attribute(at, name) ? at.Attribute(name) : absent;
  }
  double number(const char* name) const { return number_or(reader.context, holder(name), name, 0); }
};

Limits read_range(const MjcfReader& reader, const JointAttributes& attributes, bool hinge) {
  Limits limits;
  if (attributes.text("limited", "auto") == "false") return limits;
  const Element& at = attributes.holder("range");
  if (!has_attribute(at, "range")) return limits;
  const VectorXd range = mjcf_numbers(reader.context, at, "range", 2);
  if (range[0] == 0 && range[1] == 0) return limits;
  const double unit = hinge && reader.settings.degrees ? std::numbers::pi / 180 : 1;
  limits.lower = unit * range[0];
  limits.upper = unit * range[1];
  if (limits.lower > limits.upper)
    reader.context.fail(at, fmt::format("range \"{} {}\" is reversed", range[0], range[1]), "lower <= upper",
                        "swap the two limits");
  return limits;
}

DraftJoint read_mjcf_joint(MjcfReader& reader, const Element& element, const std::string& childclass) {
  UrdfContext& context = reader.context;
  DraftJoint entry;
  entry.joint.name = has_attribute(element, "name") ? attribute(context, element, "name")
                                                    : fmt::format("joint{}", reader.draft.joints.size() + 1);
  context.owner = entry.joint.name;
  entry.place = entry.parent_place = context.place(element);
  const JointAttributes attributes{reader, element, childclass};
  const std::string type = attributes.text("type", "hinge");
  if (type != "hinge" && type != "slide")
    context.fail(element, fmt::format("joint type {} is not supported", quoted(type)), "hinge or slide",
                 type == "free" ? "a robot on a fixed base: remove the free joint"
                                : "replace it with hinges about one axis each");
  entry.joint.kind = type == "slide" ? JointKind::prismatic : JointKind::revolute;
  const Vector3 axis = triple_or(context, attributes.holder("axis"), "axis", Vector3::UnitZ());
  if (!(axis.norm() > 0))
    context.fail(element, "axis is the zero vector", "a direction", "give the joint's axis");
  entry.joint.axis = axis.stableNormalized();
  if (attributes.number("ref") != 0)
    context.fail(element, fmt::format("ref is {:g}", attributes.number("ref")), "0",
                 "rotate the body to the pose where the joint reads zero, and remove ref");
  entry.joint.limits = read_range(reader, attributes, type == "hinge");
  const Vector3 at = triple_or(context, attributes.holder("pos"), "pos", Vector3::Zero());
  entry.joint.before = steps_from_xyz_rpy(at, Vector3::Zero(), entry.joint.name + ".at");
  entry.joint.after = steps_from_xyz_rpy(-at, Vector3::Zero(), entry.joint.name + ".back");
  for (const char* name : {"armature", "damping", "frictionloss", "stiffness"})
    if (attributes.number(name) != 0) {
      reader.with_dynamics.push_back(entry.joint.name);
      break;
    }
  return entry;
}

void refuse_unsupported(const MjcfReader& reader, const Element& body) {
  for (const char* name : {"include", "frame", "replicate", "attach", "composite", "flexcomp"})
    if (const Element* found = body.FirstChildElement(name))
      reader.context.fail(*found, fmt::format("element <{}> is not read", name), "plain bodies and joints",
                          "let MuJoCo write the compiled model first (mj_saveLastXML)");
  if (const Element* free = body.FirstChildElement("freejoint"))
    reader.context.fail(*free, "the body floats: it has a <freejoint>", "a robot on a fixed base",
                        "remove the <freejoint>");
}

void read_body(MjcfReader& reader, const Element& body, const std::string& parent, std::string childclass) {
  UrdfContext& context = reader.context;
  context.owner.clear();
  refuse_unsupported(reader, body);
  if (has_attribute(body, "childclass")) childclass = attribute(context, body, "childclass");
  const std::string name = has_attribute(body, "name")
                               ? attribute(context, body, "name")
                               : fmt::format("body{}", reader.draft.joints.size() + 1);
  context.owner = name;
  const Vector3 xyz = triple_or(context, body, "pos", Vector3::Zero());
  const Vector3 rpy = rpy_from_rotation(mjcf_rotation(context, body, reader.settings));
  const std::optional<Inertia> inertia = read_mjcf_inertial(reader, body, name);

  std::vector<DraftJoint> chain;
  for (const Element* joint : children(body, "joint"))
    chain.push_back(read_mjcf_joint(reader, *joint, childclass));
  if (chain.empty()) {
    DraftJoint& fixed = chain.emplace_back();
    fixed.is_fixed = true;
    fixed.joint.name = name;
    fixed.place = fixed.parent_place = context.place(body);
  }
  // All joints of a body are given in its own frame and act one after the other; only the last carries it.
  Steps pose = steps_from_xyz_rpy(xyz, rpy, chain.front().joint.name);
  pose.insert(pose.end(), chain.front().joint.before.begin(), chain.front().joint.before.end());
  chain.front().joint.before = std::move(pose);
  std::string above = parent;
  for (std::size_t k = 0; k < chain.size(); ++k) {
    const bool last = k + 1 == chain.size();
    chain[k].parent = above;
    chain[k].joint.link = last ? name : name + "." + chain[k].joint.name;
    chain[k].joint.inertia = last ? inertia : Inertia::zero();
    above = chain[k].joint.link;
    reader.draft.joints.push_back(std::move(chain[k]));
  }
  for (const Element* next : children(body, "body")) read_body(reader, *next, name, childclass);
}

// q1 = c0 + c1 q2; other couplings and loops are left open.
void read_equalities(MjcfReader& reader, const Element& root) {
  const Element* equality = root.FirstChildElement("equality");
  if (equality == nullptr) return;
  for (const Element* e = equality->FirstChildElement(); e != nullptr; e = e->NextSiblingElement()) {
    reader.context.owner.clear();
    const bool active = !has_attribute(*e, "active") || std::strcmp(e->Attribute("active"), "false") != 0;
    VectorXd poly = VectorXd::Unit(5, 1);
    const bool joint = std::strcmp(e->Name(), "joint") == 0 && has_attribute(*e, "joint2");
    if (joint && has_attribute(*e, "polycoef")) poly = mjcf_numbers(reader.context, *e, "polycoef", 5);
    if (!active) continue;
    if (!joint || !poly.tail(3).isZero(0)) {
      reader.context.warnings.push_back({fmt::format("<{}> of <equality> is left out", e->Name()),
                                         reader.context.place(*e), "linear couplings of two joints",
                                         "loops and other constraints are not part of the model"});
      continue;
    }
    const std::string name = attribute(reader.context, *e, "joint1");
    for (DraftJoint& entry : reader.draft.joints)
      if (entry.joint.name == name)
        entry.mimic =
            DraftMimic{attribute(reader.context, *e, "joint2"), poly[1], poly[0], reader.context.place(*e)};
  }
}

void list_left_out(MjcfReader& reader) {
  const Place place{reader.context.file, 0, 0, ""};
  if (!reader.without_inertia.empty())
    reader.context.warnings.push_back(
        {fmt::format("the inertia of {} comes from geoms and is not read",
                     fmt::join(reader.without_inertia, ", ")),
         place, "<inertial>", "let MuJoCo write the compiled model (mj_saveLastXML) if it is needed"});
  if (!reader.with_dynamics.empty())
    reader.context.warnings.push_back(
        {fmt::format("armature, damping, friction and stiffness are ignored for joints {}",
                     fmt::join(reader.with_dynamics, ", ")),
         place, "", "declare drive terms in the study; they are identified from the log"});
}

}  // namespace

RobotFile read_robot_mjcf(const std::string& text, const std::string& name) {
  MjcfReader reader{{name, ""}, {}, {}, {}, {}, {}};
  tinyxml2::XMLDocument document;
  const Element& root = parse_xml(text, reader.context, document, "mujoco");
  refuse_unsupported(reader, root);
  reader.settings = read_mjcf_settings(reader.context, root);
  reader.defaults = JointDefaults(reader.context, root);
  const Element* world = child(reader.context, root, "worldbody");
  if (world == nullptr)
    reader.context.fail(root, "<mujoco> has no <worldbody>", "bodies of a robot", "add the bodies");
  refuse_unsupported(reader, *world);
  reader.draft.base_link = kWorld;
  reader.draft.depth_first = true;
  for (const Element* body : children(*world, "body")) read_body(reader, *body, kWorld, "");
  reader.context.owner.clear();
  read_equalities(reader, root);
  Assembly assembly = assemble(reader.draft);
  if (assembly.robot.joints.empty())
    reader.context.fail(root, "robot has no moving joint", "at least one hinge or slide joint",
                        "check the joints of the bodies");
  assembly.robot.name = has_attribute(root, "model") ? attribute(reader.context, root, "model") : "robot";
  assembly.robot.gravity = reader.settings.gravity;
  finish(assembly, name);
  list_left_out(reader);
  std::vector<Complaint> warnings = std::move(reader.context.warnings);
  warnings.insert(warnings.end(), assembly.warnings.begin(), assembly.warnings.end());
  return {std::move(assembly.robot), std::move(warnings)};
}

}  // namespace steelyard
