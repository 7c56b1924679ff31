// Robot files with the key `from`.
#pragma once

#include "steelyard/core/yaml_fields.hpp"
#include "steelyard/robot/read.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

bool is_derived(const YamlNode& root);

RobotFile read_derived(const YamlNode& root, const std::string& name);

}  // namespace STEELYARD_ABI
}  // namespace steelyard
