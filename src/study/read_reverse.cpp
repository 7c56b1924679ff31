#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <set>

#include "steelyard/core/units.hpp"
#include "steelyard/study/study_yaml.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {
namespace {

Index to_positive(const YamlContext& context, const YamlNode& node, const std::string& what) {
  const std::uint64_t count = to_count(context, node, what);
  if (count < 1 || count > 1'000'000)
    context.fail(node, fmt::format("{} = {}", what, count), "1 to 1000000", "give a sensible number");
  return static_cast<Index>(count);
}

void read_columns(const YamlContext& context, const YamlFields& fields, ReverseColumns& columns) {
  if (const YamlNode* node = fields.find("columns")) {
    const YamlFields names(context, *node, "columns",
                           {"position", "gravity", "inertia", "jacobian", "order"});
    if (const YamlNode* name = names.find("position")) columns.position = to_text(context, *name, "position");
    if (const YamlNode* name = names.find("gravity")) columns.gravity = to_text(context, *name, "gravity");
    if (const YamlNode* name = names.find("inertia")) columns.inertia = to_text(context, *name, "inertia");
    if (const YamlNode* name = names.find("jacobian")) columns.jacobian = to_text(context, *name, "jacobian");
    if (const YamlNode* order = names.find("order"))
      columns.order = to_choice(context, *order, "order", {"rows", "columns"}) == 0 ? TriangleOrder::rows
                                                                                    : TriangleOrder::columns;
  }
  if (const YamlNode* node = fields.find("units")) {
    const YamlFields units(context, *node, "units", {"position", "gravity", "inertia"});
    const auto factor = [&](const char* key, double& scale) {
      const YamlNode* unit = units.find(key);
      if (unit == nullptr) return;
      scale = parse_unit(to_text(context, *unit, key), context.place(*unit)).factor;
    };
    factor("position", columns.position_scale);
    factor("gravity", columns.gravity_scale);
    factor("inertia", columns.inertia_scale);
  }
}

SourceSpec read_source(const YamlContext& context, const YamlNode& node, const std::string& folder) {
  const YamlFields fields(context, node, "source",
                          {"table", "program", "library", "robot", "mujoco", "function", "joints",
                           "time_limit", "columns", "units"});
  SourceSpec spec;
  spec.place = context.place(node);
  spec.folder = folder;
  int kinds = 0;
  for (const SourceKind kind :
       {SourceKind::table, SourceKind::program, SourceKind::library, SourceKind::robot, SourceKind::mujoco}) {
    const YamlNode* given = fields.find(to_string(kind));
    if (given == nullptr) continue;
    ++kinds;
    spec.kind = kind;
    if (kind == SourceKind::program) {
      spec.command = to_texts(context, *given, "program");
      spec.path_as_written = spec.command.empty() ? "" : spec.command.front();
      if (spec.command.empty()) context.fail(*given, "a program without a name", "", "name it");
    } else {
      spec.path_as_written = to_text(context, *given, "path");
      spec.path = resolve_path(context, *given, folder);
    }
  }
  if (kinds != 1)
    context.fail(node, fmt::format("a source of {} kinds", kinds),
                 "one of table, program, library, robot, mujoco", "keep one");
  if (const YamlNode* name = fields.find("function")) spec.function = to_text(context, *name, "function");
  if (const YamlNode* joints = fields.find("joints")) spec.joints = to_texts(context, *joints, "joints");
  if (const YamlNode* limit = fields.find("time_limit")) {
    spec.limits.seconds = to_number(context, *limit, "time_limit");
    if (spec.limits.seconds <= 0)
      context.fail(*limit, fmt::format("time_limit = {} s", spec.limits.seconds), "above 0",
                   "give the seconds one answer may take");
  }
  read_columns(context, fields, spec.columns);
  return spec;
}

VectorXd to_list_vector(const YamlContext& context, const YamlNode& node, const std::string& what) {
  const std::vector<double> numbers = to_numbers(context, node, what);
  return Eigen::Map<const VectorXd>(numbers.data(), static_cast<Index>(numbers.size()));
}

SinusoidSpec read_sinusoids(const YamlContext& context, const YamlNode& node) {
  const YamlFields fields(context, node, "sinusoids", {"amplitude", "period", "center", "duration", "step"});
  SinusoidSpec spec;
  spec.amplitude = to_list_vector(context, fields.at("amplitude"), "amplitude");
  spec.period = to_list_vector(context, fields.at("period"), "period");
  if (const YamlNode* center = fields.find("center"))
    spec.center = to_list_vector(context, *center, "center");
  if (const YamlNode* duration = fields.find("duration"))
    spec.duration = to_number(context, *duration, "duration");
  if (const YamlNode* step = fields.find("step")) spec.step = to_number(context, *step, "step");
  if (!(spec.period.minCoeff() > 0) || spec.step <= 0 || spec.duration < spec.step)
    context.fail(node, "periods, step or duration are not positive", "above 0, duration at least one step",
                 "give positive numbers");
  return spec;
}

ReverseSetSpec read_set(const YamlContext& context, const YamlNode& node, const std::string& folder,
                        const std::string& owner) {
  const YamlFields fields(context, node, owner, {"label", "source", "count", "choose", "sinusoids"});
  ReverseSetSpec set;
  set.place = context.place(node);
  set.label = owner;
  if (const YamlNode* label = fields.find("label")) set.label = to_text(context, *label, "label");
  if (const YamlNode* source = fields.find("source")) set.source = read_source(context, *source, folder);
  if (const YamlNode* count = fields.find("count")) set.count = to_positive(context, *count, "count");
  if (const YamlNode* choose = fields.find("choose"))
    set.best = to_choice(context, *choose, "choose", {"random", "best"}) == 1;
  if (const YamlNode* sinusoids = fields.find("sinusoids"))
    set.sinusoids = read_sinusoids(context, *sinusoids);
  return set;
}

Relation read_relation(const YamlContext& context, const YamlNode& node) {
  const YamlFields fields(context, node, "relation", {"terms", "value"});
  const YamlNode& terms = fields.at("terms");
  if (terms.kind != YamlNode::Kind::map)
    context.fail(terms, "terms are no map", "{Jxz7: 1, mz7: -0.1}", "write a map");
  Relation relation;
  for (std::size_t k = 0; k < terms.keys.size(); ++k)
    relation.terms.emplace_back(terms.keys[k].text, to_number(context, terms.items[k], "factor"));
  if (const YamlNode* value = fields.find("value")) relation.value = to_number(context, *value, "value");
  return relation;
}

LeaveOutSpec read_leave_out(const YamlContext& context, const YamlNode& node) {
  LeaveOutSpec rule;
  rule.place = context.place(node);
  if (node.kind == YamlNode::Kind::scalar) {
    rule.components = {to_text(context, node, "component")};
    return rule;
  }
  const YamlFields fields(context, node, "leave_out", {"components", "where"});
  if (const YamlNode* components = fields.find("components"))
    rule.components = to_texts(context, *components, "components");
  rule.where = to_text(context, fields.at("where"), "where");
  return rule;
}

void read_weights(const YamlContext& context, const YamlNode& node, ReverseOptions& options) {
  if (node.kind == YamlNode::Kind::scalar) {
    options.estimate.weighting = to_choice(context, node, "weights", {"none", "auto"}) == 1
                                     ? Weighting::by_row_iterated
                                     : Weighting::none;
    return;
  }
  if (node.kind != YamlNode::Kind::map)
    context.fail(node, "weights are neither a word nor a map",
                 "none, auto, or deviations: {g: 0.01, M: 1e-3}", "write one of these");
  for (std::size_t k = 0; k < node.keys.size(); ++k)
    options.deviations.emplace_back(node.keys[k].text, to_number(context, node.items[k], "deviation"));
}

void read_knowledge(const YamlContext& context, const YamlFields& fields, ReverseSpec& spec) {
  ReverseOptions& options = spec.options;
  if (const YamlNode* node = fields.find("rows")) {
    constexpr RowSet kRows[] = {RowSet::gravity_inertia, RowSet::gravity, RowSet::inertia};
    options.rows = kRows[to_choice(context, *node, "rows", {"gravity+inertia", "gravity", "inertia"})];
  }
  if (const YamlNode* node = fields.find("rotor_inertia"))
    options.rotor_inertia = to_bool(context, *node, "rotor_inertia");
  if (const YamlNode* node = fields.find("tilt")) spec.tilt = to_bool(context, *node, "tilt");
  if (const YamlNode* node = fields.find("zero")) options.zero = to_texts(context, *node, "zero");
  if (const YamlNode* node = fields.find("relations"))
    for (const YamlNode& item : to_list(context, *node, "relations"))
      options.relations.push_back(read_relation(context, item));
  if (const YamlNode* node = fields.find("leave_out"))
    for (const YamlNode& item : to_list(context, *node, "leave_out"))
      spec.leave_out.push_back(read_leave_out(context, item));
  if (const YamlNode* node = fields.find("weights")) read_weights(context, *node, options);
}

ReferenceSpec read_reference(const YamlContext& context, const YamlNode& node, const std::string& folder) {
  const YamlFields fields(context, node, "reference", {"file", "label"});
  const YamlNode& file = fields.at("file");
  ReferenceSpec spec;
  spec.place = context.place(file);
  spec.path = resolve_path(context, file, folder);
  spec.path_as_written = spec.label = to_text(context, file, "file");
  if (const YamlNode* label = fields.find("label")) spec.label = to_text(context, *label, "label");
  return spec;
}

AnswerSpec read_answers(const YamlContext& context, const YamlNode& node) {
  const YamlFields fields(context, node, "answers", {"digits", "gravity_noise", "inertia_noise"});
  AnswerSpec answers;
  if (const YamlNode* digits = fields.find("digits")) {
    answers.digits = static_cast<int>(to_count(context, *digits, "digits"));
    if (answers.digits < 1 || answers.digits > 17)
      context.fail(*digits, fmt::format("{} digits", answers.digits), "1 to 17", "six is usual");
  }
  if (const YamlNode* noise = fields.find("gravity_noise"))
    answers.gravity_noise = to_number(context, *noise, "gravity_noise");
  if (const YamlNode* noise = fields.find("inertia_noise"))
    answers.inertia_noise = to_number(context, *noise, "inertia_noise");
  return answers;
}

}  // namespace

const char* to_string(SourceKind kind) {
  switch (kind) {
    case SourceKind::table:
      return "table";
    case SourceKind::program:
      return "program";
    case SourceKind::library:
      return "library";
    case SourceKind::robot:
      return "robot";
    case SourceKind::mujoco:
      break;
  }
  return "mujoco";
}

ReverseSpec read_reverse_section(const YamlContext& context, const YamlNode& node,
                                 const std::string& folder) {
  const YamlFields fields(
      context, node, "reverse",
      {"source", "configurations", "answers", "validation", "loaded", "rows", "rotor_inertia", "tilt", "zero",
       "relations", "leave_out", "weights", "reference"});
  ReverseSpec spec;
  spec.place = context.place(node);
  if (const YamlNode* set = fields.find("configurations"))
    spec.training = read_set(context, *set, folder, "configurations");
  spec.training.label = "training";
  if (!spec.training.source) spec.training.source = read_source(context, fields.at("source"), folder);
  if (const YamlNode* list = fields.find("validation"))
    for (const YamlNode& item : to_list(context, *list, "validation"))
      spec.validation.push_back(read_set(context, item, folder, "validation"));
  std::uint64_t index = 0;
  for (ReverseSetSpec& set : spec.validation) set.index = ++index;
  if (const YamlNode* loaded = fields.find("loaded")) {
    spec.loaded = read_set(context, *loaded, folder, "loaded");
    spec.loaded->index = ++index;
  }
  if (const YamlNode* answers = fields.find("answers")) spec.answers = read_answers(context, *answers);
  if (const YamlNode* reference = fields.find("reference"))
    spec.reference = read_reference(context, *reference, folder);
  read_knowledge(context, fields, spec);
  return spec;
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
