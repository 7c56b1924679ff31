// Readers of the study's keys `drives`, `columns` and `known`.
#pragma once

#include <vector>

#include "steelyard/study/study_yaml.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

void read_drives(const YamlContext& context, const YamlNode& node, Study& study);

// A list of {name, joint, expression}; known efforts may do without a name.
std::vector<EffortExpression> read_effort_expressions(const YamlContext& context, const YamlNode& node,
                                                      const std::string& key);

}  // namespace STEELYARD_ABI
}  // namespace steelyard
