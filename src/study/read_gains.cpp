#include "study/read_gains.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "steelyard/core/suggest.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {
namespace {

VectorXd to_gain_list(const YamlContext& context, const YamlNode& node, const std::string& what) {
  const std::vector<double> numbers = to_numbers(context, node, what);
  return Eigen::Map<const VectorXd>(numbers.data(), static_cast<Index>(numbers.size()));
}

std::vector<GainMethod> read_methods(const YamlContext& context, const YamlNode& node) {
  static const std::vector<std::string> words = {"ls", "wls", "tls", "prediction_error", "feasible"};
  const auto one = [&](const YamlNode& item) {
    return static_cast<GainMethod>(to_choice(context, item, "method for gains", words));
  };
  if (node.kind == YamlNode::Kind::scalar) return {one(node)};
  std::vector<GainMethod> methods;
  for (const YamlNode& item : to_list(context, node, "method")) methods.push_back(one(item));
  if (methods.empty()) context.fail(node, "no method for gains", "at least one", "leave the key out for all");
  return methods;
}

// Index of a parameter of a load: "m", "mx", …
std::size_t load_parameter(const YamlContext& context, const YamlNode& key) {
  const std::vector<std::string> stems(kParameterStems.begin(), kParameterStems.end());
  return to_choice(context, key, "parameter of a load", stems);
}

Load read_payload_entry(const YamlContext& context, const YamlNode& node) {
  const YamlFields fields(context, node, "payload", {"name", "mass", "known", "sigma"});
  Load load = unknown_load(to_text(context, fields.at("name"), "name"));
  if (const YamlNode* mass = fields.find("mass"))
    load.parameters[0].value = to_number(context, *mass, "mass");
  const auto for_each = [&](const char* key, auto set) {
    const YamlNode* map = fields.find(key);
    if (map == nullptr) return;
    if (map->kind != YamlNode::Kind::map)
      context.fail(*map, fmt::format("'{}' is no map", key), "{m: 4.59, mx: -0.29}", "write a map");
    for (std::size_t k = 0; k < map->keys.size(); ++k)
      set(load.parameters[load_parameter(context, map->keys[k])],
          to_number(context, map->items[k], map->keys[k].text));
  };
  for_each("known", [](LoadParameter& parameter, double value) { parameter.value = value; });
  for_each("sigma", [](LoadParameter& parameter, double sigma) { parameter.sigma = sigma; });
  return load;
}

Inertia read_load_body(const YamlContext& context, const YamlNode& node) {
  Vector10 values = Vector10::Zero();
  if (node.kind != YamlNode::Kind::map)
    context.fail(node, "'load' is no map", "{m: 4.59, mx: -0.29}",
                 "write the ten parameters, zeros left out");
  for (std::size_t k = 0; k < node.keys.size(); ++k)
    values[static_cast<Index>(load_parameter(context, node.keys[k]))] =
        to_number(context, node.items[k], node.keys[k].text);
  return Inertia::from_standard(values);
}

bool has_current(const StudyRun& run) {
  if (run.simulation) return run.simulation->options.effort == EffortChannel::current;
  const std::vector<ChannelColumns>& channels = run.file.channels;
  return std::any_of(channels.begin(), channels.end(),
                     [](const ChannelColumns& item) { return item.channel == channel::kCurrent; });
}

}  // namespace

GainSpec read_gains_section(const YamlContext& context, const YamlNode& node) {
  const YamlFields fields(
      context, node, "gains",
      {"method", "use", "known", "sigma", "prior", "prior_sigma", "essential", "blocks", "rows"});
  GainSpec spec;
  spec.methods = {GainMethod::ls, GainMethod::wls, GainMethod::tls, GainMethod::prediction_error,
                  GainMethod::feasible};
  if (const YamlNode* known = fields.find("known")) {
    spec.known = to_gain_list(context, *known, "known");
    spec.methods.clear();
    for (const char* key : {"method", "use", "prior", "prior_sigma", "essential", "blocks", "rows"})
      if (const YamlNode* other = fields.find(key))
        context.fail(*other, fmt::format("'{}' beside known gains", key), "known and sigma",
                     "remove it, or give the gains as `prior`");
  }
  if (const YamlNode* method = fields.find("method")) spec.methods = read_methods(context, *method);
  if (const YamlNode* use = fields.find("use"); use != nullptr && !is_word(*use, "auto")) {
    spec.use = read_methods(context, *use).front();
    if (std::find(spec.methods.begin(), spec.methods.end(), *spec.use) == spec.methods.end())
      spec.methods.push_back(*spec.use);
  }
  const auto list = [&](const char* key, VectorXd& target) {
    if (const YamlNode* item = fields.find(key)) target = to_gain_list(context, *item, key);
  };
  list("sigma", spec.sigma);
  list("prior", spec.prior);
  list("prior_sigma", spec.prior_sigma);
  if (spec.sigma.size() > 0 && spec.known.size() == 0)
    context.fail(*fields.find("sigma"), "'sigma' without known gains", "", "use prior and prior_sigma");
  if (spec.prior_sigma.size() > 0 && spec.prior.size() == 0)
    context.fail(*fields.find("prior_sigma"), "'prior_sigma' without 'prior'", "", "give the a-priori gains");
  if (const YamlNode* essential = fields.find("essential")) {
    if (is_word(*essential, "true") || is_word(*essential, "false")) {
      if (is_word(*essential, "true")) spec.essential = 30;
    } else {
      spec.essential = to_number(context, *essential, "essential");
    }
  }
  if (const YamlNode* blocks = fields.find("blocks")) {
    spec.blocks = static_cast<int>(to_count(context, *blocks, "blocks"));
    if (spec.blocks < 2) context.fail(*blocks, "fewer than two blocks", "at least 2", "five is usual");
  }
  if (const YamlNode* rows = fields.find("rows"))
    spec.rows =
        to_choice(context, *rows, "rows of gains", {"joint", "motor"}) == 0 ? RowSide::joint : RowSide::motor;
  return spec;
}

std::vector<Load> read_payloads_section(const YamlContext& context, const YamlNode& node) {
  std::vector<Load> loads;
  for (const YamlNode& item : to_list(context, node, "payloads"))
    loads.push_back(read_payload_entry(context, item));
  validate(std::span<const Load>(loads));
  return loads;
}

const std::vector<std::string>& simulated_drive_keys() {
  static const std::vector<std::string> keys = {"parameters", "gain", "effort", "load"};
  return keys;
}

void read_simulated_drives(const YamlContext& context, const YamlFields& fields, SimulationSpec& spec) {
  if (const YamlNode* effort = fields.find("effort"))
    spec.options.effort = to_choice(context, *effort, "effort", {"torque", "current"}) == 0
                              ? EffortChannel::torque
                              : EffortChannel::current;
  if (const YamlNode* load = fields.find("load")) spec.options.payload = read_load_body(context, *load);
  if (const YamlNode* gain = fields.find("gain")) spec.gains = to_numbers(context, *gain, "gain");
  const YamlNode* parameters = fields.find("parameters");
  if (parameters == nullptr) return;
  if (parameters->kind != YamlNode::Kind::map)
    context.fail(*parameters, "'parameters' is no map", "{Jzz1: 1.28, fv1: 7}", "write a map");
  for (std::size_t k = 0; k < parameters->keys.size(); ++k)
    spec.parameters[parameters->keys[k].text] =
        to_number(context, parameters->items[k], parameters->keys[k].text);
}

void check_gain_keys(const YamlContext& context, const YamlNode& runs, const Study& study) {
  std::vector<std::string> names;
  for (const Load& load : study.payloads) names.push_back(load.name);
  for (std::size_t r = 0; r < study.runs.size(); ++r) {
    const RunLabel& label = study.runs[r].file.label;
    const YamlNode& node = runs.items[r];
    const bool found_with_signs = study.signs.gains.has_value() && !study.gains;
    if (has_current(study.runs[r]) != study.gains.has_value() && !found_with_signs)
      context.fail(
          node,
          study.gains ? fmt::format("the run '{}' has no currents, but the study has gains", label.label)
                      : fmt::format("the run '{}' has currents, but the study has no gains", label.label),
          "currents and `gains`, or torques",
          study.gains ? "name its columns by `current`"
                      : "add `gains: {}` to identify them, `gains: {known: [...]}`, or, for |current|, "
                        "`signs: {gains: unknown}`");
    if (label.payload.empty()) continue;
    if (!study.gains)
      context.fail(
          node, fmt::format("the run '{}' has a payload, but torques", label.label), "currents",
          "loads are found from currents; with torques use `current` and `gains: {known: [1, ...]}`");
    if (std::find(names.begin(), names.end(), label.payload) == names.end()) {
      Complaint complaint = unknown("payload", label.payload, names);
      context.fail(node, complaint.what, complaint.limit, "list it under `payloads`");
    }
  }
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
