#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "steelyard/core/sha256.hpp"
#include "steelyard/core/text_file.hpp"
#include "steelyard/fleet/fleet.hpp"
#include "steelyard/study/study_yaml.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {
namespace {

const std::vector<std::string>& log_keys() {
  static const std::vector<std::string> keys = {"columns", "units", "scale",     "sign",
                                                "offset",  "rate",  "separator", "topic"};
  return keys;
}

FleetFault read_fault(const YamlContext& context, const YamlNode& node) {
  const YamlFields fields(context, node, "fault",
                          {"robot", "link", "mass", "at", "joint", "friction", "gain", "wear", "from"});
  FleetFault fault;
  fault.robot = static_cast<int>(to_count(context, fields.at("robot"), "robot"));
  const auto number = [&](const char* key, double& target) {
    if (const YamlNode* value = fields.find(key)) target = to_number(context, *value, key);
  };
  if (const YamlNode* link = fields.find("link"))
    fault.link = static_cast<int>(to_count(context, *link, "link"));
  if (const YamlNode* joint = fields.find("joint"))
    fault.joint = static_cast<int>(to_count(context, *joint, "joint"));
  if (const YamlNode* from = fields.find("from"))
    fault.from = static_cast<int>(to_count(context, *from, "from"));
  if (const YamlNode* at = fields.find("at")) fault.at = to_vector(context, *at, "at", 3);
  number("mass", fault.mass);
  number("friction", fault.friction);
  number("gain", fault.gain);
  number("wear", fault.wear);
  if ((fault.link > 0) == (fault.joint > 0))
    context.fail(node, "a fault affects either one link or one joint",
                 "`link` with `mass`, or `joint` with others", "give one of them");
  return fault;
}

// The node with those of its keys that a run has, and one more.
YamlNode run_node(const YamlNode& fleet, const std::string& key, const YamlNode& value) {
  YamlNode out;
  out.kind = YamlNode::Kind::map;
  out.line = fleet.line;
  out.column = fleet.column;
  YamlNode name = value;
  name.kind = YamlNode::Kind::scalar;
  name.text = key;
  name.items.clear();
  name.keys.clear();
  out.keys.push_back(name);
  out.items.push_back(value);
  for (std::size_t k = 0; k < fleet.keys.size(); ++k) {
    if (std::find(log_keys().begin(), log_keys().end(), fleet.keys[k].text) == log_keys().end()) continue;
    out.keys.push_back(fleet.keys[k]);
    out.items.push_back(fleet.items[k]);
  }
  return out;
}

void read_simulated(const YamlContext& context, const YamlFields& fields, FleetSpec& spec) {
  const auto count = [&](const char* key, int& target) {
    if (const YamlNode* node = fields.find(key)) target = static_cast<int>(to_count(context, *node, key));
  };
  count("robots", spec.robots);
  count("days", spec.days);
  if (const YamlNode* scatter = fields.find("scatter")) {
    spec.scatter = to_number(context, *scatter, "scatter");
    if (spec.scatter < 0 || spec.scatter > 0.2)
      context.fail(*scatter, fmt::format("scatter is {}", spec.scatter), "0 to 0.2", "0.025 is typical");
  }
  if (spec.robots < 1 || spec.robots > 10000 || spec.days < 1 || spec.days > 1000)
    context.fail(fields.map(), fmt::format("a simulated fleet of {} robots, {} days", spec.robots, spec.days),
                 "1 to 10000 robots, 1 to 1000 days", "give `robots` and `days`");
  if (const YamlNode* faults = fields.find("faults"))
    for (const YamlNode& node : to_list(context, *faults, "faults")) {
      spec.faults.push_back(read_fault(context, node));
      if (spec.faults.back().robot < 1 || spec.faults.back().robot > spec.robots)
        context.fail(node, fmt::format("fault of robot {}", spec.faults.back().robot),
                     fmt::format("1 to {}", spec.robots), "name a robot of the fleet");
    }
}

FleetSpec read_fleet_section(const YamlContext& context, const YamlNode& node, const std::string& folder) {
  std::vector<std::string> keys = {"logs", "level", "simulate", "robots", "days", "scatter", "faults"};
  keys.insert(keys.end(), log_keys().begin(), log_keys().end());
  const YamlFields fields(context, node, "fleet", keys);
  FleetSpec spec;
  spec.folder = folder;
  if (const YamlNode* level = fields.find("level")) {
    spec.level = to_number(context, *level, "level");
    if (!(spec.level > 0 && spec.level < 0.5))
      context.fail(*level, fmt::format("level is {}", spec.level), "above 0, below 0.5", "0.01 is typical");
  }
  if (fields.has("logs") == fields.has("simulate"))
    context.fail(node, "a fleet has logs or is simulated", "one of `logs` and `simulate`",
                 "give one of them");
  if (const YamlNode* simulate = fields.find("simulate")) {
    spec.run = read_run_section(context, run_node(YamlNode{}, "simulate", *simulate), folder, 1);
    read_simulated(context, fields, spec);
    return spec;
  }
  for (const char* key : {"robots", "days", "scatter", "faults"})
    if (const YamlNode* other = fields.find(key))
      context.fail(*other, fmt::format("`{}` for a fleet with logs", key), "only with `simulate`",
                   "remove it");
  const YamlNode& logs = fields.at("logs");
  if (logs.kind != YamlNode::Kind::scalar || logs.text.empty())
    context.fail(logs, "the pattern of the logs is not text", "logs/{robot}-{day}.csv",
                 "write `logs: \"FOLDER/{robot}-{day}.csv\"`, in quotes");
  spec.run = read_run_section(context, run_node(node, "file", logs), folder, 1);
  spec.logs = resolve_path(context, logs, folder);
  if (spec.logs.find("{robot}") == std::string::npos)
    context.fail(logs, "the pattern of the logs does not contain the robot's name", "logs/{robot}-{day}.csv",
                 "put {robot} into it, in quotes");
  return spec;
}

// What robots cannot share, or what is about one robot only.
void refuse_other_parts(const FleetStudy& fleet) {
  const Study& study = fleet.study;
  const auto refuse = [&](bool found, const char* what) {
    if (found)
      throw InputError({fmt::format("a fleet study with {}", what),
                        {study.path, 0, 0, ""},
                        "robot, seed, drives, columns, known, fleet, prepare, report",
                        "remove it; `steelyard run` supports it for one robot"});
  };
  bool curved = study.drive_spec.friction && !study.drive_spec.friction->is_linear();
  for (const auto& [joint, spec] : study.drive_spec.joints)
    curved |= spec.friction && !spec.friction->is_linear();
  refuse(curved, "friction other than viscous, coulomb, offset");
  refuse(study.drive_spec.offset_per_run, "an offset per run");
  refuse(study.reverse.has_value(), "`reverse`");
  refuse(study.excite.has_value(), "`excite`");
  refuse(study.elastic.has_value(), "`elastic`");
  refuse(study.feasible.has_value(), "`feasible`");
  refuse(!study.exports.empty(), "`export`");
  refuse(!study.runs.empty(), "`runs` together with `fleet`");
  refuse(study.estimator.instruments || study.estimator.single_rows || study.estimator.essential.has_value(),
         "an estimator other than weighted least squares");
}

}  // namespace

FleetStudy read_fleet_study(const std::string& path) {
  const std::string text = read_text_file(path, "study");
  const YamlContext context{path, "", 1};
  YamlNode root = parse_study(text, path);
  const auto key = std::find_if(root.keys.begin(), root.keys.end(),
                                [](const YamlNode& node) { return node.text == "fleet"; });
  if (key == root.keys.end())
    context.fail(root, "the study has no `fleet`", "fleet: {logs: \"logs/{robot}-{day}.csv\", columns: …}",
                 "add it; `steelyard run` is for one robot");
  const auto at = key - root.keys.begin();
  const YamlNode section = root.items[static_cast<std::size_t>(at)];
  root.keys.erase(key);
  root.items.erase(root.items.begin() + at);
  FleetStudy fleet;
  fleet.study = read_study_tree(root, path, false);
  fleet.fleet = read_fleet_section(context, section, std::filesystem::path(path).parent_path().string());
  fleet.text_hash = sha256(text);
  refuse_other_parts(fleet);
  return fleet;
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
