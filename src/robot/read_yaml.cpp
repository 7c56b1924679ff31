// Our robot files; docs/robot.md describes the format.
#include <fmt/format.h>

#include <algorithm>
#include <numbers>
#include <unordered_map>

#include "robot/derived.hpp"
#include "robot/draft.hpp"
#include "robot/yaml_link.hpp"
#include "robot/yaml_transmission.hpp"
#include "steelyard/core/suggest.hpp"
#include "steelyard/core/yaml_fields.hpp"
#include "steelyard/robot/read.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

enum class Convention { standard_dh, modified_dh, frames };

// Settings of the top level for all joints.
struct Common {
  Convention convention;
  DriveTerms drive;
  std::string base_link;
};

void add_step(Steps& steps, Motion motion, double value, const char* stem) {
  const Step step{motion, value, stem};
  if (!is_identity(step)) steps.push_back(step);
}

void read_dh(const YamlContext& context, const YamlFields& fields, Convention convention, Joint& joint) {
  const double a = to_number(context, fields.at("a"), "a");
  const double alpha = context.angle_unit * to_number(context, fields.at("alpha"), "alpha");
  const double d = to_number(context, fields.at("d"), "d");
  const YamlNode* node = fields.find("theta");
  const double theta = node == nullptr ? 0 : context.angle_unit * to_number(context, *node, "theta");
  if (convention == Convention::modified_dh) {
    add_step(joint.before, Motion::turn_x, alpha, "alpha");
    add_step(joint.before, Motion::move_x, a, "a");
    add_step(joint.before, Motion::move_z, d, "d");
    add_step(joint.before, Motion::turn_z, theta, "theta");
    return;
  }
  add_step(joint.before, Motion::turn_z, theta, "theta");
  add_step(joint.after, Motion::move_z, d, "d");
  add_step(joint.after, Motion::move_x, a, "a");
  add_step(joint.after, Motion::turn_x, alpha, "alpha");
}

void read_explicit_frame(const YamlContext& context, const YamlFields& fields, bool is_fixed, Joint& joint) {
  joint.before = read_frame(context, fields, joint.name);
  const YamlNode* axis = fields.find("axis");
  if (axis == nullptr) return;
  if (is_fixed) context.fail(*axis, "a fixed joint has an axis", "no axis", "remove it or change the kind");
  const VectorXd direction = to_vector(context, *axis, "axis", 3);
  if (!(direction.norm() > 0)) {
    context.fail(*axis, "axis is the zero vector", "a direction",
                 "give the joint's axis, for example [0, 0, 1]");
  }
  joint.axis = direction.stableNormalized();
}

std::vector<std::string> known_joint_keys(Convention convention) {
  std::vector<std::string> keys = {"name", "kind", "parent", "link", "bounds", "limits", "drive", "mimic"};
  if (convention == Convention::frames) {
    keys.insert(keys.end(), {"xyz", "rpy", "axis"});
  } else {
    keys.insert(keys.end(), {"a", "alpha", "d", "theta"});
  }
  return keys;
}

DraftMimic read_mimic(const YamlContext& context, const YamlNode& node, JointKind kind) {
  const YamlFields fields(context, node, "mimic", {"joint", "ratio", "offset"});
  DraftMimic mimic;
  mimic.master = to_text(context, fields.at("joint"), "joint");
  if (const YamlNode* ratio = fields.find("ratio")) mimic.ratio = to_number(context, *ratio, "ratio");
  if (const YamlNode* offset = fields.find("offset")) {
    const double unit = kind == JointKind::revolute ? context.angle_unit : 1;
    mimic.offset = unit * to_number(context, *offset, "offset");
  }
  mimic.place = context.place(fields.at("joint"));
  return mimic;
}

// What only a joint that moves can have.
void read_moving_parts(const YamlContext& context, const YamlFields& fields, const Common& common,
                       DraftJoint& entry) {
  Joint& joint = entry.joint;
  joint.drive = common.drive;
  if (const YamlNode* drive = fields.find("drive")) joint.drive = read_drive(context, *drive);
  if (const YamlNode* limits = fields.find("limits"))
    joint.limits = read_limits(context, *limits, joint.kind);
  if (const YamlNode* mimic = fields.find("mimic")) entry.mimic = read_mimic(context, *mimic, joint.kind);
  if (const YamlNode* bounds = fields.find("bounds")) {
    for (const ParameterBound& bound : read_bounds(context, *bounds, true)) {
      for (const ParameterBound& given : joint.bounds) {
        if (given.parameter != bound.parameter) continue;
        context.fail(*bounds,
                     fmt::format("bounds of {} are given for the joint and for its link", bound.parameter),
                     "one interval per parameter", "remove one of the two");
      }
      joint.bounds.push_back(bound);
    }
  }
}

// The name messages use, before anything else of the joint has been looked at.
std::string name_of(const YamlNode& node, int row) {
  for (std::size_t k = 0; k < node.keys.size(); ++k) {
    const YamlNode& value = node.items[k];
    if (node.keys[k].text == "name" && value.kind == YamlNode::Kind::scalar) return value.text;
  }
  return fmt::format("joint{}", row);
}

DraftJoint read_joint(YamlContext& context, const YamlNode& node, const Common& common, int row,
                      std::vector<Complaint>& warnings) {
  context.joint = name_of(node, row);
  const YamlFields fields(context, node, "joint", known_joint_keys(common.convention));
  DraftJoint entry;
  Joint& joint = entry.joint;
  joint.name = fields.has("name") ? to_text(context, *fields.find("name"), "name") : context.joint;
  entry.place = context.place(node);
  std::size_t kind = 0;
  if (const YamlNode* word = fields.find("kind")) {
    kind = to_choice(context, *word, "joint kind", {"revolute", "prismatic", "fixed"});
  }
  joint.kind = kind == 1 ? JointKind::prismatic : JointKind::revolute;
  entry.is_fixed = kind == 2;
  if (common.convention == Convention::frames) {
    read_explicit_frame(context, fields, entry.is_fixed, joint);
  } else {
    read_dh(context, fields, common.convention, joint);
  }
  joint.link = joint.name + "_link";
  if (const YamlNode* link_node = fields.find("link")) {
    YamlLink link = read_link(context, *link_node);
    if (!link.name.empty()) joint.link = link.name;
    joint.inertia = link.inertia;
    joint.bounds = std::move(link.bounds);
    Place place = context.place(*link_node);
    place.joint = joint.link;
    if (joint.inertia) warn_if_impossible(*joint.inertia, place, warnings);
  }
  if (!entry.is_fixed) {
    read_moving_parts(context, fields, common, entry);
    return entry;
  }
  for (const char* key : {"drive", "limits", "mimic", "bounds"}) {
    if (const YamlNode* extra = fields.find(key)) {
      context.fail(*extra, fmt::format("a fixed joint has '{}'", key), "moving joints only",
                   "move it to a moving joint or change the kind");
    }
  }
  if (!joint.bounds.empty()) {
    context.fail(node, "the link of a fixed joint has 'bounds'", "links of moving joints only",
                 "bound the parameters of the link it is fixed to");
  }
  return entry;
}

// Parents may name a joint or a link; the default is the joint before.
void resolve_parents(const YamlContext& context, const std::vector<YamlNode>& nodes, Draft& draft) {
  std::unordered_map<std::string, std::string> link_of_joint;
  for (const DraftJoint& entry : draft.joints) link_of_joint[entry.joint.name] = entry.joint.link;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    DraftJoint& entry = draft.joints[i];
    entry.parent = i == 0 ? draft.base_link : draft.joints[i - 1].joint.link;
    entry.parent_place = entry.place;
    for (std::size_t k = 0; k < nodes[i].keys.size(); ++k) {
      if (nodes[i].keys[k].text != "parent") continue;
      const YamlNode& value = nodes[i].items[k];
      YamlContext own = context;
      own.joint = entry.joint.name;
      entry.parent = to_text(own, value, "parent");
      entry.parent_place = own.place(value);
      const auto found = link_of_joint.find(entry.parent);
      if (found != link_of_joint.end()) entry.parent = found->second;
    }
  }
}

Draft read_draft(YamlContext& context, const YamlFields& fields, const Common& common,
                 std::vector<Complaint>& warnings) {
  Draft draft;
  draft.base_link = common.base_link;
  draft.parents_may_be_joints = true;
  draft.number_steps = common.convention != Convention::frames;
  const YamlNode& joints = fields.at("joints");
  int row = 0;
  for (const YamlNode& node : to_list(context, joints, "joints")) {
    draft.joints.push_back(read_joint(context, node, common, ++row, warnings));
  }
  context.joint.clear();
  const auto moves = [](const DraftJoint& entry) { return !entry.is_fixed; };
  if (std::none_of(draft.joints.begin(), draft.joints.end(), moves)) {
    context.fail(joints, "robot has no moving joint", "at least one revolute or prismatic joint", "add one");
  }
  resolve_parents(context, joints.items, draft);
  return draft;
}

void read_tool(const YamlContext& context, const YamlNode& node, Assembly& assembly) {
  const YamlFields fields(context, node, "tool", {"link", "xyz", "rpy"});
  Robot& robot = assembly.robot;
  if (const YamlNode* link = fields.find("link")) {
    const std::string name = to_text(context, *link, "link");
    const LinkHome* home = assembly.home_of(name);
    if (home == nullptr || home->index < 0) {
      std::vector<std::string> names;
      for (const LinkHome& candidate : assembly.homes) {
        if (candidate.index >= 0) names.push_back(candidate.link);
      }
      Complaint complaint = unknown("tool link", name, names, context.place(*link));
      if (complaint.remedy.empty()) complaint.remedy = "name a link that moves";
      throw InputError(std::move(complaint));
    }
    robot.tool_link = home->index;
    robot.tool = home->steps;
  }
  const Steps own = read_frame(context, fields, "tool");
  robot.tool.insert(robot.tool.end(), own.begin(), own.end());
}

Common read_common(YamlContext& context, const YamlFields& fields) {
  const std::vector<std::string> conventions = {"standard_dh", "modified_dh", "frames"};
  Common common;
  common.convention =
      static_cast<Convention>(to_choice(context, fields.at("convention"), "convention", conventions));
  if (const YamlNode* angles = fields.find("angles")) {
    const bool degrees = to_choice(context, *angles, "angle unit", {"rad", "deg"}) == 1;
    context.angle_unit = degrees ? std::numbers::pi / 180 : 1;
  }
  if (const YamlNode* drive = fields.find("drive")) common.drive = read_drive(context, *drive);
  const YamlNode* base_link = fields.find("base_link");
  common.base_link = base_link == nullptr ? "base" : to_text(context, *base_link, "base_link");
  return common;
}

// The last part of the path without its ending.
std::string stem_of(const std::string& file) {
  const std::size_t slash = file.find_last_of('/');
  const std::string name = slash == std::string::npos ? file : file.substr(slash + 1);
  return name.substr(0, name.find('.'));
}

}  // namespace

RobotFile read_robot_yaml(const std::string& text, const std::string& name) {
  YamlContext context{name, "", 1};
  const YamlNode root = parse_yaml(text, name);
  if (is_derived(root)) return read_derived(root, name);
  const YamlFields fields(context, root, "robot file",
                          {"name", "convention", "angles", "gravity", "base", "base_link", "tool", "drive",
                           "joints", "coupled", "transmission"});
  std::vector<Complaint> warnings;
  const Common common = read_common(context, fields);
  Assembly assembly = assemble(read_draft(context, fields, common, warnings));
  Robot& robot = assembly.robot;
  robot.name = fields.has("name") ? to_text(context, *fields.find("name"), "name") : stem_of(name);
  if (const YamlNode* gravity = fields.find("gravity"))
    robot.gravity = to_vector(context, *gravity, "gravity", 3);
  if (const YamlNode* base = fields.find("base")) {
    robot.base = read_frame(context, YamlFields(context, *base, "base", {"xyz", "rpy"}), "base");
  }
  if (const YamlNode* tool = fields.find("tool")) read_tool(context, *tool, assembly);
  if (const YamlNode* coupled = fields.find("coupled")) robot.pairs = read_coupled(context, *coupled, robot);
  if (const YamlNode* node = fields.find("transmission")) {
    assembly.parts["transmission"] = context.place(*node);
    robot.transmission = read_transmission(context, *node, robot);
  }
  finish(assembly, name);
  warnings.insert(warnings.end(), assembly.warnings.begin(), assembly.warnings.end());
  return {std::move(assembly.robot), std::move(warnings)};
}

}  // namespace steelyard
