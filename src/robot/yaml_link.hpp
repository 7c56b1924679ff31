// The parts of a robot file that describe one link or joint beside its geometry.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "steelyard/core/yaml_fields.hpp"
#include "steelyard/robot/robot.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct YamlLink {
  std::string name;  // empty: not given
  std::optional<Inertia> inertia;
  std::vector<ParameterBound> bounds;
  const YamlNode* inertia_node = nullptr;
};

// `NAME` or {name, mass, com, inertia | inertia_origin, bounds} or {name, standard, bounds}.
YamlLink read_link(const YamlContext& context, const YamlNode& node);

// {m: [0, 10], cx: [-0.1, 0.1], …}; drive parameters only for joints.
std::vector<ParameterBound> read_bounds(const YamlContext& context, const YamlNode& node, bool with_drives);

// {position: [lower, upper], velocity, acceleration, effort}.
Limits read_limits(const YamlContext& context, const YamlNode& node, JointKind kind);

// [viscous, coulomb, offset, rotor_inertia], any of them.
DriveTerms read_drive(const YamlContext& context, const YamlNode& node);

// {xyz, rpy}, both optional, as steps named after `prefix`.
Steps read_frame(const YamlContext& context, const YamlFields& fields, const std::string& prefix);

}  // namespace steelyard
