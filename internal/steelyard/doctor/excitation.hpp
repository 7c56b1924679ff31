// How well a motion excites the parameters: weighted least squares of the coarse log over the robot's base
// parameters and drive columns.
//
// The condition number is that of columns scaled to norm one and of rows divided by their standard deviation.
// Standard deviations are classical and of a coarse copy of the log: right to a factor, not to a percent.
#pragma once

#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/core/finding.hpp"
#include "steelyard/doctor/coarse.hpp"
#include "steelyard/estimate/estimate.hpp"
#include "steelyard/robot/robot.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct Excitation {
  Estimate estimate;  // names, relative standard deviations, condition
};

// `columns`: lead columns of the base parameters, drive columns included.
Excitation examine_excitation(const Robot& robot, const std::vector<CoarseRun>& runs,
                              const std::vector<std::string>& columns);

std::vector<Finding> excitation_findings(const Excitation& excitation, const Robot& robot);

}  // namespace steelyard
