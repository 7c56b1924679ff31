// Couplings between motors: the parts of a robot file about several joints at once.
#pragma once

#include <vector>

#include "steelyard/core/yaml_fields.hpp"
#include "steelyard/robot/robot.hpp"

namespace steelyard::inline STEELYARD_ABI {

// [[joint, partner], …] by name.
std::vector<CoupledPair> read_coupled(const YamlContext& context, const YamlNode& node, const Robot& robot);

// {matrix: [[…], …]} or {ratios: […], coupling: [{motor, joint, ratio}, …]}, with zero: […]. Rows are motors,
// columns independent joints; motor i is the one of joint i.
Transmission read_transmission(const YamlContext& context, const YamlNode& node, const Robot& robot);

}  // namespace steelyard
