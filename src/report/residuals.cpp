// Residuals by joint and by run, and the place where the script draws the curves.
#include <fmt/format.h>

#include <algorithm>

#include "report/sections.hpp"
#include "steelyard/report/html.hpp"

namespace steelyard::inline STEELYARD_ABI {

namespace {

// A bar whose full length is `largest`.
std::string bar(double fraction, double largest) {
  const double width = largest > 0 ? std::clamp(100 * fraction / largest, 0.0, 100.0) : 0;
  return fmt::format(
      "<svg class=\"bar\" viewBox=\"0 0 100 8\" preserveAspectRatio=\"none\" aria-hidden=\"true\">"
      "<rect class=\"track\" width=\"100\" height=\"8\"/><rect class=\"part\" width=\"{:.2f}\" "
      "height=\"8\"/></svg>",
      width);
}

std::optional<double> prepared_of(const ResidualSummary& residual, const std::string& joint) {
  for (const JointResidual& entry : residual.per_joint) {
    if (entry.name == joint) return entry.prepared;
  }
  return std::nullopt;
}

double largest_prepared(const ResidualSummary& residual) {
  double largest = 0;
  for (const JointResidual& joint : residual.per_joint)
    largest = std::max(largest, joint.prepared.value_or(0));
  return largest;
}

TableCell forecast_cell(const std::optional<MotionForecast>& forecast) {
  if (!forecast) return {"", std::nullopt};
  if (forecast->expected > 1) return {"unknown", forecast->expected};
  const std::string upper = forecast->upper > 1 ? "unknown" : percent(forecast->upper);
  return {percent(forecast->expected) + " (" + upper + ")", forecast->expected};
}

TableCell forecast_bar(const std::optional<MotionForecast>& forecast, double largest) {
  if (!forecast || forecast->expected > 1) return {"", std::nullopt};
  return {bar(forecast->expected, largest), forecast->expected};
}

}  // namespace

std::string joints_section(const Result& result) {
  if (result.residual.per_joint.empty()) return "";  // base values were given without rows
  std::vector<TableColumn> columns = {{"Joint", "", false},
                                      {"RMS", "of the prepared residual, N·m or N", true},
                                      {"Residual", "prepared rows, percentage of the joint's effort", true},
                                      {"of the largest", "", false},
                                      {"Raw", "every sample, unfiltered", true}};
  const bool rest = result.residual.with_standstill.has_value();
  if (rest) columns.push_back({"With standstill", "prepared rows and those at standstill", true});
  if (result.cross_validation) columns.push_back({"Cross-validated", "held-out rows", true});
  for (const RunValidation& run : result.validation)
    columns.push_back({run.run, run.fresh ? "fresh run" : "run used for fitting", true});
  std::vector<std::vector<TableCell>> rows;
  const double largest = largest_prepared(result.residual);
  for (const JointResidual& joint : result.residual.per_joint) {
    std::vector<TableCell> row = {text_cell(joint.name),
                                  number_cell(joint.rms, 3),
                                  percent_cell(joint.prepared),
                                  {bar(joint.prepared.value_or(0), largest), joint.prepared.value_or(0)},
                                  percent_cell(joint.raw)};
    if (rest) row.push_back(percent_cell(joint.with_standstill));
    if (result.cross_validation)
      row.push_back(percent_cell(prepared_of(result.cross_validation->residual, joint.name)));
    for (const RunValidation& run : result.validation)
      row.push_back(percent_cell(prepared_of(run.residual, joint.name)));
    rows.push_back(std::move(row));
  }
  return section("joints", "Residual by joint", table("Residual by joint", columns, rows));
}

std::string validation_section(const Result& result) {
  if (result.validation.empty()) return "";
  double largest = 0;
  for (const RunValidation& run : result.validation) {
    largest = std::max(largest, run.residual.prepared);
    if (run.forecast && run.forecast->expected <= 1) largest = std::max(largest, run.forecast->expected);
  }
  std::vector<std::vector<TableCell>> rows;
  for (const RunValidation& run : result.validation) {
    const char* kind =
        run.fresh ? "<span class=\"tag fresh\">fresh</span>" : "<span class=\"tag\">fitted</span>";
    rows.push_back({text_cell(run.run),
                    {kind, std::nullopt},
                    percent_cell(run.residual.prepared),
                    {bar(run.residual.prepared, largest), run.residual.prepared},
                    percent_cell(run.residual.raw),
                    forecast_cell(run.forecast),
                    forecast_bar(run.forecast, largest)});
  }
  return section("validation", "Validation runs",
                 table("Validation runs",
                       {{"Run", "", false},
                        {"Kind", "fresh: not used for fitting", false},
                        {"Residual", "prepared rows", true},
                        {"of the largest", "", false},
                        {"Raw", "every sample, unfiltered", true},
                        {"Forecast", "from the fitted runs alone; in brackets: 90 % at most", true},
                        {"of the largest", "", false}},
                       rows));
}

std::string forecast_section(const Result& result) {
  if (!result.forecast) return "";
  const MotionForecast& typical =
      result.forecast->feasible_typical ? *result.forecast->feasible_typical : result.forecast->typical;
  std::vector<JointForecast> joints;
  for (const JointForecast& joint : typical.per_joint)
    if (joint.expected) joints.push_back(joint);
  if (joints.empty()) return "";
  std::stable_sort(joints.begin(), joints.end(),
                   [](const JointForecast& a, const JointForecast& b) { return *a.expected > *b.expected; });
  const double largest = std::min(1.0, *joints.front().expected);
  std::vector<std::vector<TableCell>> rows;
  for (const JointForecast& joint : joints)
    rows.push_back({text_cell(joint.name),
                    number_cell(joint.rms, 3),
                    {*joint.expected > 1 ? "unknown" : percent(*joint.expected), *joint.expected},
                    {bar(*joint.expected, largest), *joint.expected},
                    {joint.upper.value_or(2) > 1 ? "unknown" : percent(*joint.upper), joint.upper}});
  return section("forecast", "Joints that will be worst on typical motions",
                 table("Joints that will be worst",
                       {{"Joint", "", false},
                        {"Error", "RMS to expect, N·m or N", true},
                        {"Forecast", "of the joint's own effort", true},
                        {"of the largest", "", false},
                        {"90 % at most", "", true}},
                       rows));
}

std::string curves_section(const std::vector<EffortCurve>& curves) {
  if (curves.empty()) {
    return section("curves", "Measured and predicted effort",
                   "<p>There are no curves: the report was written without samples.</p>\n");
  }
  return section(
      "curves", "Measured and predicted effort",
      "<div class=\"toolbar\"><div id=\"runs\" role=\"group\" aria-label=\"Run\"></div>\n"
      "<p class=\"legend\"><span class=\"key measured\">measured</span> <span class=\"key "
      "predicted\">predicted</span> "
      "<span class=\"key residual\">residual</span></p>\n"
      "<button type=\"button\" id=\"reset\" disabled>Reset zoom</button></div>\n"
      "<div id=\"panels\"></div>\n"
      "<noscript><p>The curves need JavaScript, which is disabled in this browser.</p></noscript>\n"
      "<p class=\"hint\">Drag to zoom, double click to reset; all joints follow. By keyboard: <kbd>←</kbd> "
      "<kbd>→</kbd> "
      "move the cursor, with <kbd>Shift</kbd> the window; <kbd>+</kbd> <kbd>−</kbd> zoom, <kbd>0</kbd> "
      "resets. Long runs "
      "are drawn as bands from minimum to maximum, so that no peak is lost.</p>\n");
}

}  // namespace steelyard
