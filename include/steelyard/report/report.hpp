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

#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/report/scene.hpp"
#include "steelyard/result/result.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

struct ReportOptions {
  std::string command;  // that reproduces the result, shown with the provenance; may be empty
};

// Curves of one run stand together, in the order given. Numbers in curves that are not finite are gaps.
// Throws InternalError for curves whose series differ in length.
std::string render_report(const Result& result, const std::vector<EffortCurve>& curves,
                          const ReportOptions& options = {}, const Scene& scene = {});

// Whether this program was built with the page of web/.
bool draws_pages();

// The plain page: tables and curves, no robot. What render_report() gives without web/.
std::string render_plain_report(const Result& result, const std::vector<EffortCurve>& curves,
                                const ReportOptions& options = {});

}  // namespace STEELYARD_ABI
}  // namespace steelyard
