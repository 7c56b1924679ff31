// The parts of the report, each from the piece of the result that it shows.
#pragma once

#include <string>
#include <vector>

#include "steelyard/report/report.hpp"

namespace steelyard::inline STEELYARD_ABI {

std::string header(const Result& result);       // robot, verdict with its reasons
std::string key_figures(const Result& result);  // the numbers one asks for first
std::string findings_section(const Result& result);
std::string curves_section(const std::vector<EffortCurve>& curves);
std::string joints_section(const Result& result);      // residuals by joint
std::string validation_section(const Result& result);  // empty without runs
std::string forecast_section(const Result& result);    // empty without a forecast
std::string reverse_section(const Result& result);     // empty without tables of g and M
std::string signs_section(const Result& result,
                          const std::vector<EffortCurve>& curves);  // empty when no run lacks its signs
std::string base_section(const Result& result);
std::string drives_section(const Result& result);  // empty without drives
std::string provenance_section(const Result& result, const ReportOptions& options);

// As they are, or with sections joined so that the page of many runs and joints stays small; peaks stay.
std::vector<EffortCurve> curves_for_page(std::vector<EffortCurve> curves);

// The curves as JSON for the script of the page, rounded outwards to what can be seen.
std::string curve_data(const Result& result, const std::vector<EffortCurve>& curves);

// Everything the page of web/ shows, as one JSON object: result, curves, scene, command.
std::string web_data(const Result& result, const std::vector<EffortCurve>& curves,
                     const ReportOptions& options, const Scene& scene);

// The part of it that is drawn in 3D, with the command.
std::string scene_data(const Scene& scene, const ReportOptions& options);

}  // namespace steelyard
