// The page of a motion that was designed, or of what the next run would add: condition and limits, how every
// parameter will be known, the robot playing the motion.
//
// One offline file, as the report. Drawn by the page of web/ alone: programs built without it have none
// (draws_pages()).
#pragma once

#include <string>

#include "steelyard/core/abi.hpp"
#include "steelyard/report/report.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

// `json`: excite.json or next.json (docs/excite.md). `robot_name` heads the page. Throws MachineError in
// programs built without web/.
std::string render_design(const std::string& json, const std::string& robot_name,
                          const ReportOptions& options, const Scene& scene);

}  // namespace STEELYARD_ABI
}  // namespace steelyard
