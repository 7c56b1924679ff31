#include "study/read_drives.hpp"

#include <fmt/format.h>

namespace steelyard {
inline namespace STEELYARD_ABI {
namespace {

const std::vector<std::string>& form_words() {
  static const std::vector<std::string> words = {"auto", "sigmoid", "stribeck", "asymmetric"};
  return words;
}

FrictionSpec spec_of_word(std::size_t word) {
  constexpr FrictionForm kForms[] = {FrictionForm::linear, FrictionForm::sigmoid, FrictionForm::stribeck,
                                     FrictionForm::asymmetric};
  const FrictionModel usual = friction_model(kForms[word]);
  return {word == 0, usual.form, usual.viscous, usual.coulomb, usual.offset};
}

// One word is a form with its usual linear terms; a list names the terms one by one.
FrictionSpec read_friction(const YamlContext& context, const YamlNode& node) {
  if (node.kind != YamlNode::Kind::list)
    return spec_of_word(to_choice(context, node, "friction", form_words()));
  FrictionSpec spec;
  for (const YamlNode& item : to_list(context, node, "friction")) {
    const std::size_t term = to_choice(context, item, "friction term",
                                       {"viscous", "coulomb", "offset", "sigmoid", "stribeck", "asymmetric"});
    if (term == 0) spec.viscous = true;
    if (term == 1) spec.coulomb = true;
    if (term == 2) spec.offset = true;
    if (term < 3) continue;
    if (spec.form != FrictionForm::linear)
      context.fail(item, fmt::format("friction has two forms: {} and {}", to_string(spec.form), item.text),
                   "one of sigmoid, stribeck, asymmetric", "leave one out");
    spec.form = spec_of_word(term - 2).form;
  }
  const bool doubled = spec.form == FrictionForm::asymmetric && (spec.coulomb || spec.offset);
  if (doubled)
    context.fail(node, "asymmetric Coulomb friction beside coulomb or offset",
                 "viscous and asymmetric: the others lie in its span", "leave coulomb and offset out");
  return spec;
}

JointDriveSpec read_joint_drive(const YamlContext& context, const YamlNode& node) {
  JointDriveSpec spec;
  spec.place = context.place(node);
  const YamlFields fields(context, node, "joint of drives", {"friction", "rotor_inertia"});
  if (const YamlNode* friction = fields.find("friction")) spec.friction = read_friction(context, *friction);
  if (const YamlNode* rotor = fields.find("rotor_inertia"))
    spec.rotor_inertia = to_bool(context, *rotor, "rotor_inertia");
  return spec;
}

}  // namespace

void read_drives(const YamlContext& context, const YamlNode& node, Study& study) {
  const YamlFields fields(context, node, "drives", {"friction", "rotor_inertia", "offset", "joints"});
  if (const YamlNode* friction = fields.find("friction")) {
    const FrictionSpec spec = read_friction(context, *friction);
    if (spec.is_linear()) {
      study.drives.viscous = spec.viscous;
      study.drives.coulomb = spec.coulomb;
      study.drives.offset = spec.offset;
    } else {
      study.drive_spec.friction = spec;
    }
  }
  if (const YamlNode* rotor = fields.find("rotor_inertia"))
    study.drives.rotor_inertia = to_bool(context, *rotor, "rotor_inertia");
  if (const YamlNode* offset = fields.find("offset"))
    study.drive_spec.offset_per_run = to_choice(context, *offset, "offset", {"common", "per_run"}) == 1;
  if (const YamlNode* joints = fields.find("joints")) {
    if (joints->kind != YamlNode::Kind::map)
      context.fail(*joints, "joints of drives is no map", "joint names with `friction` or `rotor_inertia`",
                   "write `joints: {elbow: {friction: sigmoid}}`");
    for (std::size_t k = 0; k < joints->keys.size(); ++k)
      study.drive_spec.joints[joints->keys[k].text] = read_joint_drive(context, joints->items[k]);
  }
}

std::vector<EffortExpression> read_effort_expressions(const YamlContext& context, const YamlNode& node,
                                                      const std::string& key) {
  std::vector<EffortExpression> list;
  for (const YamlNode& item : to_list(context, node, key)) {
    const YamlFields fields(context, item, key, {"name", "joint", "expression"});
    EffortExpression effort;
    if (const YamlNode* name = fields.find("name"))
      effort.name = to_text(context, *name, "name");
    else if (key == "columns")
      fields.at("name");
    else
      effort.name = fmt::format("{} {}", key, list.size() + 1);
    effort.joint = to_text(context, fields.at("joint"), "joint");
    const YamlNode& text = fields.at("expression");
    effort.text = to_text(context, text, "expression");
    effort.place = context.place(text);
    list.push_back(std::move(effort));
  }
  return list;
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
