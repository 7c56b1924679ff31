// Reader of the section `excite`.
#pragma once

#include "steelyard/core/yaml_fields.hpp"
#include "steelyard/study/excite_spec.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

ExciteSpec read_excite_section(const YamlContext& context, const YamlNode& node, const std::string& folder);

}  // namespace STEELYARD_ABI
}  // namespace steelyard
