#include <fmt/format.h>

#include "steelyard/log/contents.hpp"
#include "steelyard/study/study_yaml.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {
std::vector<std::string> to_texts(const YamlContext& context, const YamlNode& node, const std::string& what) {
  if (node.kind == YamlNode::Kind::scalar) return {to_text(context, node, what)};
  std::vector<std::string> texts;
  for (const YamlNode& item : to_list(context, node, what)) texts.push_back(to_text(context, item, what));
  return texts;
}

namespace {

const std::vector<std::string>& channel_names() {
  static const std::vector<std::string> names = {
      "position",       "velocity",           "acceleration", "torque", "current", "motor_position",
      "motor_velocity", "motor_acceleration", "motor_torque", "known",  "theta",   "elastic_torque",
  };
  return names;
}

std::vector<std::string> with_time(std::vector<std::string> names) {
  names.insert(names.begin(), "time");
  return names;
}

ChannelColumns* find_channel(std::vector<ChannelColumns>& channels, const std::string& name) {
  for (ChannelColumns& channel : channels)
    if (channel.channel == name) return &channel;
  return nullptr;
}

// `units`, `scale`, `sign` and `offset` are maps from channels that `columns` has.
template <typename Set>
void for_each_channel(const YamlContext& context, const YamlNode& map, const std::string& owner,
                      RunFile& file, Set set) {
  const YamlFields fields(context, map, owner, with_time(channel_names()));
  for (std::size_t k = 0; k < map.keys.size(); ++k) {
    const std::string& name = map.keys[k].text;
    ChannelColumns* channel = find_channel(file.channels, name);
    if (channel == nullptr && name != "time")
      context.fail(map.keys[k],
                   fmt::format("{} speaks of '{}', but columns has no such channel", owner, name), "",
                   fmt::format("remove it or add `columns: {{{}: ...}}`", name));
    set(name, channel, map.items[k]);
  }
}

void read_columns(const YamlContext& context, const YamlNode& node, RunFile& file) {
  const YamlFields fields(context, node, "columns", with_time(channel_names()));
  file.time.clear();
  for (std::size_t k = 0; k < node.keys.size(); ++k) {
    const std::string& name = node.keys[k].text;
    if (name == "time") {
      file.time = to_text(context, node.items[k], "time");
    } else {
      ChannelColumns channel;
      channel.channel = name;
      channel.columns = to_texts(context, node.items[k], name);
      file.channels.push_back(std::move(channel));
    }
  }
  const bool has_position = fields.has("position") || fields.has("motor_position");
  const bool has_effort = fields.has("torque") || fields.has("motor_torque") || fields.has("current");
  if (!has_position || !has_effort)
    context.fail(node, fmt::format("columns has no {}", has_position ? "torque" : "position"),
                 "position and torque, on the joint or the motor side, or position and current",
                 "name the log's columns, e.g. \"q{j}\"");
}

void read_conversions(const YamlContext& context, const YamlFields& fields, RunFile& file) {
  if (const YamlNode* units = fields.find("units"))
    for_each_channel(context, *units, "units", file,
                     [&](const std::string& name, ChannelColumns* channel, const YamlNode& value) {
                       if (channel == nullptr)
                         file.time_unit = to_text(context, value, "units of time");
                       else
                         channel->units = to_texts(context, value, "units of " + name);
                     });
  const auto numbers = [&](const char* key, std::vector<double> ChannelColumns::*member) {
    const YamlNode* node = fields.find(key);
    if (node == nullptr) return;
    for_each_channel(context, *node, key, file,
                     [&](const std::string& name, ChannelColumns* channel, const YamlNode& value) {
                       if (channel == nullptr)
                         context.fail(value, fmt::format("{} of time", key), "channels only",
                                      "use the unit of time");
                       channel->*member = to_numbers(context, value, fmt::format("{} of {}", key, name));
                       for (const double number : channel->*member)
                         if (member == &ChannelColumns::scale && number == 0)
                           context.fail(value, fmt::format("scale of {} is 0", name), "other than zero",
                                        "1 takes the column as it is; leave the channel out if it is not to "
                                        "be used");
                     });
  };
  numbers("scale", &ChannelColumns::scale);
  numbers("sign", &ChannelColumns::sign);
  numbers("offset", &ChannelColumns::offset);
}

}  // namespace

std::string to_label(const YamlContext& context, const YamlNode& node) {
  constexpr std::size_t kLongest = 200;  // it is the name of a file, too
  std::string label = to_text(context, node, "label");
  if (label.empty()) context.fail(node, "an empty label", "", "give it a letter, or leave `label` out");
  if (label.size() > kLongest)
    context.fail(node, fmt::format("a label of {} bytes", label.size()), fmt::format("at most {}", kLongest),
                 "shorten it");
  return label;
}

StudyRun read_run_section(const YamlContext& context, const YamlNode& node, const std::string& folder,
                          int number) {
  const YamlFields fields(context, node, "run",
                          {"file", "simulate", "label", "role", "columns", "units", "scale", "sign", "offset",
                           "rate", "separator", "topic", "payload", "unsigned"});
  StudyRun run;
  run.file.label.label = fmt::format("run {}", number);
  if (const YamlNode* label = fields.find("label")) run.file.label.label = to_label(context, *label);
  if (const YamlNode* role = fields.find("role"))
    run.file.label.role =
        to_choice(context, *role, "role", {"fit", "validate"}) == 0 ? RunRole::fit : RunRole::validate;
  if (const YamlNode* payload = fields.find("payload"))
    run.file.label.payload = to_text(context, *payload, "payload");
  if (const YamlNode* node_of = fields.find("unsigned"))
    run.unsigned_effort = to_bool(context, *node_of, "unsigned");
  if (const YamlNode* simulation = fields.find("simulate")) {
    if (fields.has("file"))
      context.fail(node, "run has both 'file' and 'simulate'", "one of them", "remove one");
    read_simulation(context, *simulation, run);
    run.simulation->options.unsigned_effort = run.unsigned_effort;
    return run;
  }
  const YamlNode& file = fields.at("file");
  run.path_as_written = to_text(context, file, "file");
  run.file.path = resolve_path(context, file, folder);
  const bool bag = is_bag(run.file.path);
  if (const YamlNode* topic = fields.find("topic")) {
    run.file.topic = to_text(context, *topic, "topic");
    if (!bag)
      context.fail(*topic, "'topic' is given for a file that is no bag", ".db3 or .mcap", "remove it");
  }
  if (bag && !fields.has("columns")) {
    use_joint_states(run.file);
  } else {
    read_columns(context, fields.at("columns"), run.file);
  }
  read_conversions(context, fields, run.file);
  if (const YamlNode* rate = fields.find("rate")) run.file.rate = to_number(context, *rate, "rate");
  if (const YamlNode* separator = fields.find("separator"))
    run.file.csv.separator = parse_separator(to_text(context, *separator, "separator"));
  if (run.file.time.empty() && run.file.rate <= 0)
    context.fail(node, "run has neither a time column nor a rate", "",
                 "add `columns: {time: ...}` or `rate: 1000` [Hz]");
  return run;
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
