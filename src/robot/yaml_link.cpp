#include "robot/yaml_link.hpp"

#include <fmt/format.h>

#include <array>

namespace steelyard::inline STEELYARD_ABI {
namespace {

const std::vector<std::string> kMoments = {"xx", "xy", "xz", "yy", "yz", "zz"};

// Diagonal entries must be there; products of inertia default to zero.
Matrix3 read_moments(const YamlContext& context, const YamlNode& node, const std::string& what) {
  const YamlFields fields(context, node, what, kMoments);
  std::array<double, 6> value{};
  for (int k = 0; k < 6; ++k) {
    const std::string& key = kMoments[k];
    const bool diagonal = key[0] == key[1];
    const YamlNode* entry = diagonal ? &fields.at(key) : fields.find(key);
    if (entry != nullptr) value[k] = to_number(context, *entry, what + " " + key);
  }
  return symmetric_matrix(value[0], value[1], value[2], value[3], value[4], value[5]);
}

Inertia read_standard(const YamlContext& context, const YamlNode& node) {
  if (node.kind == YamlNode::Kind::list) {
    return Inertia::from_standard(to_vector(context, node, "standard", kParametersPerLink));
  }
  const std::vector<std::string> names(kParameterStems.begin(), kParameterStems.end());
  const YamlFields fields(context, node, "standard", names);
  Vector10 parameters;
  for (int k = 0; k < kParametersPerLink; ++k)
    parameters[k] = to_number(context, fields.at(names[k]), names[k]);
  return Inertia::from_standard(parameters);
}

Inertia read_mass_com_inertia(const YamlContext& context, const YamlFields& fields) {
  const double mass = to_number(context, fields.at("mass"), "mass");
  const Vector3 com = to_vector(context, fields.at("com"), "com", 3);
  if (const YamlNode* origin = fields.find("inertia_origin")) {
    const Matrix3 J = read_moments(context, *origin, "inertia_origin");
    Vector10 parameters;
    parameters << mass, mass * com, J(0, 0), J(0, 1), J(0, 2), J(1, 1), J(1, 2), J(2, 2);
    return Inertia::from_standard(parameters);
  }
  return Inertia::from_mass_com_inertia(mass, com, read_moments(context, fields.at("inertia"), "inertia"));
}

}  // namespace

YamlLink read_link(const YamlContext& context, const YamlNode& node) {
  YamlLink link;
  link.inertia_node = &node;
  if (node.kind == YamlNode::Kind::scalar) {
    link.name = to_text(context, node, "link");
    return link;
  }
  const YamlFields fields(context, node, "link",
                          {"name", "mass", "com", "inertia", "inertia_origin", "standard", "bounds"});
  if (const YamlNode* name = fields.find("name")) link.name = to_text(context, *name, "name");
  if (const YamlNode* bounds = fields.find("bounds")) link.bounds = read_bounds(context, *bounds, false);
  const YamlNode* standard = fields.find("standard");
  const bool by_parts =
      fields.has("mass") || fields.has("com") || fields.has("inertia") || fields.has("inertia_origin");
  if ((standard != nullptr && by_parts) || (fields.has("inertia") && fields.has("inertia_origin"))) {
    context.fail(node, "the inertia of the link is given twice",
                 "one of: standard; mass, com, inertia; mass, com, inertia_origin", "keep one of them");
  }
  if (standard != nullptr) link.inertia = read_standard(context, *standard);
  if (by_parts) link.inertia = read_mass_com_inertia(context, fields);
  return link;
}

std::vector<ParameterBound> read_bounds(const YamlContext& context, const YamlNode& node, bool with_drives) {
  std::vector<std::string> known(kParameterStems.begin(), kParameterStems.end());
  known.insert(known.end(), {"cx", "cy", "cz"});
  for (const std::string& moment : kMoments) known.push_back("I" + moment);
  if (with_drives) known.insert(known.end(), {"fv", "fc", "fo", "Ia"});
  const YamlFields fields(context, node, "bounds", known);
  std::vector<ParameterBound> bounds;
  for (std::size_t i = 0; i < node.keys.size(); ++i) {
    const std::string& name = node.keys[i].text;
    const Interval interval = to_interval(context, node.items[i], "bounds of " + name);
    bounds.push_back({name, interval.lower, interval.upper});
  }
  return bounds;
}

Limits read_limits(const YamlContext& context, const YamlNode& node, JointKind kind) {
  const YamlFields fields(context, node, "limits", {"position", "velocity", "acceleration", "effort"});
  Limits limits;
  if (const YamlNode* position = fields.find("position")) {
    const double unit = kind == JointKind::revolute ? context.angle_unit : 1;
    const Interval interval = to_interval(context, *position, "position limits");
    limits.lower = interval.lower * unit;
    limits.upper = interval.upper * unit;
  }
  const auto positive = [&](const char* key, double& target) {
    const YamlNode* entry = fields.find(key);
    if (entry == nullptr) return;
    target = to_number(context, *entry, key + std::string(" limit"));
    if (target > 0) return;
    context.fail(*entry, fmt::format("{} limit {} is not positive", key, target), "a number above zero",
                 "leave the limit out when there is none");
  };
  positive("velocity", limits.velocity);
  positive("acceleration", limits.acceleration);
  positive("effort", limits.effort);
  return limits;
}

DriveTerms read_drive(const YamlContext& context, const YamlNode& node) {
  DriveTerms drive;
  for (const YamlNode& item : to_list(context, node, "drive")) {
    bool* const terms[] = {&drive.viscous, &drive.coulomb, &drive.offset, &drive.rotor_inertia};
    *terms[to_choice(context, item, "drive term", {"viscous", "coulomb", "offset", "rotor_inertia"})] = true;
  }
  return drive;
}

Steps read_frame(const YamlContext& context, const YamlFields& fields, const std::string& prefix) {
  Vector3 xyz = Vector3::Zero(), rpy = Vector3::Zero();
  if (const YamlNode* node = fields.find("xyz")) xyz = to_vector(context, *node, "xyz", 3);
  if (const YamlNode* node = fields.find("rpy"))
    rpy = context.angle_unit * to_vector(context, *node, "rpy", 3);
  return steps_from_xyz_rpy(xyz, rpy, prefix);
}

}  // namespace steelyard
