// What the best set-up leaves of the efforts.
#pragma once

#include <vector>

#include "steelyard/core/finding.hpp"
#include "steelyard/doctor/set_up.hpp"
#include "steelyard/doctor/trial.hpp"
#include "steelyard/robot/robot.hpp"

namespace steelyard::inline STEELYARD_ABI {

// Its effort is not small beside that of the others.
bool is_loaded(const Trial& trial, Index joint);

// The loaded joint of whose effort a fit explains least, where it leaves much of it; −1: none.
Index worst_unexplained(const Trial& trial, const TrialFit& fit, bool too_poor = false);

std::vector<Finding> unexplained_findings(const Trial& trial, const SetUpExamination& examination,
                                          const Robot& robot);

}  // namespace steelyard
