// Findings of a scan about the velocity column.
#pragma once

#include <set>

#include "steelyard/doctor/signals.hpp"

namespace steelyard::doctor {

// `spoiled`: joints with another finding about position or velocity that is visible here too.
std::vector<Finding> velocity_findings(const SignalScan& scan, const std::vector<LogJoint>& joints,
                                       const std::string& run, const SignalUse& use,
                                       const std::set<int>& spoiled);

}  // namespace steelyard::doctor
