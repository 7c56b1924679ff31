// Robot files with the key `from`.
#pragma once

#include "steelyard/core/yaml_fields.hpp"
#include "steelyard/robot/read.hpp"

namespace steelyard::inline STEELYARD_ABI {

bool is_derived(const YamlNode& root);

RobotFile read_derived(const YamlNode& root, const std::string& name);

}  // namespace steelyard
