#include "robot/derived.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "robot/yaml_link.hpp"
#include "robot/yaml_transmission.hpp"
#include "steelyard/core/sha256.hpp"
#include "steelyard/core/text_file.hpp"
#include "steelyard/robot/read.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr std::size_t kMaxFiles = 8;

const std::vector<std::string>& derived_keys() {
  static const std::vector<std::string> keys = {"name",  "from",    "moving",      "held",
                                                "drive", "coupled", "transmission"};
  return keys;
}

std::string beside(const std::string& file, const std::string& path) {
  const std::filesystem::path as_path(path);
  if (as_path.is_absolute()) return path;
  return (std::filesystem::path(file).parent_path() / as_path).lexically_normal().string();
}

[[noreturn]] void fail_in(const YamlContext& context, const YamlNode& node, const InputError& error) {
  Complaint complaint = error.complaint();
  complaint.place = context.place(node);
  throw InputError(std::move(complaint));
}

void hold_what_stands(const YamlContext& context, const YamlFields& fields, Robot& robot) {
  if (!fields.has("moving") && !fields.has("held")) return;
  std::map<std::string, double> held;
  if (const YamlNode* node = fields.find("held")) {
    if (node->kind != YamlNode::Kind::map)
      context.fail(*node, "'held' is not a map", "{head_1_joint: 0.3}",
                   "give positions by the joints' names");
    for (std::size_t k = 0; k < node->keys.size(); ++k)
      held[node->keys[k].text] = to_number(context, node->items[k], node->keys[k].text);
  }
  std::vector<std::string> moving;
  if (const YamlNode* node = fields.find("moving")) {
    for (const YamlNode& item : to_list(context, *node, "moving"))
      moving.push_back(to_text(context, item, "joint"));
  } else {
    const Coordinates independent = coordinates(robot);
    for (int joint : independent.joints) {
      const std::string& name = robot.joints[static_cast<std::size_t>(joint)].name;
      if (!held.contains(name)) moving.push_back(name);
    }
  }
  try {
    robot = hold_joints(robot, moving, held);
  } catch (const InputError& error) {
    fail_in(context, fields.has("moving") ? fields.at("moving") : fields.at("held"), error);
  }
}

}  // namespace

bool is_derived(const YamlNode& root) {
  if (root.kind != YamlNode::Kind::map) return false;
  return std::any_of(root.keys.begin(), root.keys.end(),
                     [](const YamlNode& key) { return key.text == "from"; });
}

RobotFile read_derived(const YamlNode& root, const std::string& name) {
  const YamlContext context{name, "", 1};
  const YamlFields fields(context, root, "derived robot file", derived_keys());
  const std::string other = beside(name, to_text(context, fields.at("from"), "from"));
  robot_files(other);  // refuses cycles
  RobotFile file = read_robot(other);
  Robot& robot = file.robot;
  hold_what_stands(context, fields, robot);
  if (const YamlNode* own = fields.find("name")) robot.name = to_text(context, *own, "name");
  if (const YamlNode* drive = fields.find("drive"))
    for (Joint& joint : robot.joints) joint.drive = read_drive(context, *drive);
  if (const YamlNode* coupled = fields.find("coupled")) robot.pairs = read_coupled(context, *coupled, robot);
  if (const YamlNode* node = fields.find("transmission")) {
    robot.transmission = read_transmission(context, *node, robot);
    try {
      validate(robot);
    } catch (const InputError& error) {
      fail_in(context, *node, error);
    }
  }
  return file;
}

std::vector<std::string> robot_files(const std::string& path) {
  std::vector<std::string> files = {path};
  for (;;) {
    const std::string extension = std::filesystem::path(files.back()).extension().string();
    if (extension != ".yaml" && extension != ".yml") return files;
    const YamlContext context{files.back(), "", 1};
    const YamlNode root = parse_yaml(read_text_file(files.back(), "robot file"), files.back());
    if (!is_derived(root)) return files;
    const YamlFields fields(context, root, "derived robot file", derived_keys());
    if (files.size() == kMaxFiles)
      context.fail(fields.at("from"), fmt::format("{} files in a row are derived from others", kMaxFiles),
                   "a robot at the end", "give the robot's own file; avoid cycles");
    files.push_back(beside(files.back(), to_text(context, fields.at("from"), "from")));
  }
}

std::string robot_file_hash(const std::string& path) {
  const std::vector<std::string> files = robot_files(path);
  if (files.size() == 1) return sha256_file(path);
  std::string hashes;
  for (const std::string& file : files) hashes += sha256_file(file);
  return sha256(hashes);
}

std::string robot_hash(const Robot& robot) {
  std::string text;
  const auto add = [&](const auto&... values) {
    (fmt::format_to(std::back_inserter(text), "{} ", values), ...);
  };
  const auto word = [&](const std::string& name) { add(name.size(), name); };
  const auto matrix = [&](const auto& values) {
    add(values.rows(), values.cols());
    for (Index k = 0; k < values.size(); ++k) add(values.data()[k]);
  };
  const auto steps = [&](const Steps& list) {
    add(list.size());
    for (const Step& step : list) add(static_cast<int>(step.motion), step.value), word(step.name);
  };
  word(robot.name);
  for (const Joint& joint : robot.joints) {
    word(joint.name), word(joint.link);
    add(static_cast<int>(joint.kind), joint.parent);
    steps(joint.before), matrix(joint.axis), steps(joint.after);
    const Limits& limits = joint.limits;
    add(limits.lower, limits.upper, limits.velocity, limits.acceleration, limits.effort);
    const DriveTerms& drive = joint.drive;
    add(drive.viscous, drive.coulomb, drive.offset, drive.rotor_inertia);
    matrix(joint.inertia ? VectorXd(joint.inertia->to_standard()) : VectorXd());
    add(joint.bounds.size());
    for (const ParameterBound& bound : joint.bounds) word(bound.parameter), add(bound.lower, bound.upper);
  }
  add(robot.joints.size(), robot.mimics.size(), robot.pairs.size());
  for (const Mimic& mimic : robot.mimics) add(mimic.joint, mimic.master, mimic.ratio, mimic.offset);
  for (const CoupledPair& pair : robot.pairs) add(pair.joint, pair.partner);
  matrix(robot.transmission.matrix), matrix(robot.transmission.zero), matrix(robot.gravity);
  steps(robot.base), steps(robot.tool), add(robot.tool_link), word(robot.base_link);
  return sha256(text);
}

}  // namespace steelyard
