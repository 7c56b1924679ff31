// The report: one HTML file that shows a result, for people.
//
// It needs no network and no other file: style, script and data are inside, and its content security policy
// lets nothing else run. Everything a user typed is escaped. The same result, curves, options and scene give
// the same bytes. It shows what the result holds and computes nothing new: what is absent there is absent
// here.
//
// Programs built with the page of web/ (STEELYARD_WEB) write that page, with the plain one inside for
// browsers that run no scripts; programs built without it write the plain page.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/result/result.hpp"
#include "steelyard/robot/robot.hpp"

namespace steelyard::inline STEELYARD_ABI {

// The robot and its motions as the report draws them.
//
// A motion is a run thinned out to about a thousand samples as they were logged: enough to play it and to see
// where joints were, not to compute with.

struct RunMotion {
  std::string run;
  std::vector<double> time;                   // [s]
  std::vector<std::vector<double>> position;  // one list per independent coordinate of the robot
};

struct Scene {
  std::optional<Robot> robot;  // absent: there is nothing to draw
  std::vector<RunMotion> motions;
};

struct ReportOptions {
  std::string command;  // that reproduces the result, shown with the provenance; may be empty
};

// Curves and motions of many runs and joints are thinned so that a page stays small: 30 joints in 20 runs take less
// than 5 MB. Curves of one run stand together, in the order given. Numbers in curves that are not finite are gaps.
// Throws InternalError for curves whose series differ in length.
std::string render_report(const Result& result, const std::vector<EffortCurve>& curves,
                          const ReportOptions& options = {}, const Scene& scene = {});

// Whether this program was built with the page of web/.
bool draws_pages();

// The plain page: tables and curves, no robot. What render_report() gives without web/.
std::string render_plain_report(const Result& result, const std::vector<EffortCurve>& curves,
                                const ReportOptions& options = {});

// Several results on one page: verdicts, key figures, residuals by joint, parameters and how far they agree.
//
// One offline file, as the report. Drawn by the page of web/ alone: throws MachineError in programs built
// without it.

struct NamedResult {
  std::string name;  // as the columns are headed
  Result result;
};

std::string render_comparison(const std::vector<NamedResult>& results);

// The page of a motion that was designed, or of what the next run would add: condition and limits, how every
// parameter will be known, the robot playing the motion.
//
// One offline file, as the report. Drawn by the page of web/ alone: programs built without it have none
// (draws_pages()).

// `json`: excite.json or next.json (docs/excite.md). `robot_name` heads the page. Throws MachineError in
// programs built without web/.
std::string render_design(const std::string& json, const std::string& robot_name,
                          const ReportOptions& options, const Scene& scene);

}  // namespace steelyard
