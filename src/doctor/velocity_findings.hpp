// What a scan says of the velocity column.
#pragma once

#include <set>

#include "steelyard/doctor/signals.hpp"

namespace steelyard::doctor {

// `spoiled`: joints whose position or velocity has another finding that shows here too.
std::vector<Finding> velocity_findings(const SignalScan& scan, const std::vector<LogJoint>& joints,
                                       const std::string& run, const SignalUse& use,
                                       const std::set<int>& spoiled);

}  // namespace steelyard::doctor
