// The tool frame: where loads are fixed.
#pragma once

#include "steelyard/core/abi.hpp"
#include "steelyard/robot/robot.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

// The link that carries the tool.
int tool_link(const Robot& robot);

// Ten parameters of a load in the tool frame to ten in the frame of the tool link: a 10 × 10 matrix.
MatrixXd load_to_link(const Robot& robot);

}  // namespace STEELYARD_ABI
}  // namespace steelyard
