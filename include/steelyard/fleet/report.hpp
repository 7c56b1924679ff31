// The page of a fleet: which robots differ and in what, drifts, the fleet's parameters, a map of all standard
// deviations.
//
// One offline file of tables and one drawing, without the page of web/. The same summary gives the same
// bytes.
#pragma once

#include <string>

#include "steelyard/core/abi.hpp"
#include "steelyard/fleet/summary.hpp"
#include "steelyard/report/report.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

std::string render_fleet(const FleetSummary& summary, const ReportOptions& options = {});

}  // namespace STEELYARD_ABI
}  // namespace steelyard
