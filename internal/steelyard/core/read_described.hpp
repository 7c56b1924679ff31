// The YAML reader of described structs (core/describe.hpp). Wrong types, unknown keys (with the nearest one),
// missing keys and numbers beyond their limits are InputErrors with their place.
#pragma once

#include "steelyard/core/describe.hpp"
#include "steelyard/core/yaml_fields.hpp"

namespace steelyard::inline STEELYARD_ABI {

// `owner` names the map in messages; relative paths are put behind `folder`.
void read_described(const YamlContext& context, const YamlNode& map, const std::string& owner,
                    const std::string& folder, const Fields::Part& part);

// `text` with ${NAME} replaced by environment variables; relative paths are put behind `folder`.
std::string resolve_path(const YamlContext& context, const YamlNode& node, const std::string& folder);

}  // namespace steelyard
