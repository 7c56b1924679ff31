#include "steelyard/fleet/fleet.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "steelyard/report/assets.hpp"
#include "steelyard/report/html.hpp"
#include "steelyard/report/page.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

// Standard deviations from here on are drawn, and those from the second on at full strength.
constexpr double kFaint = 1.5, kStrong = 5;

std::string fleet_card(const std::string& label, const std::string& value, const std::string& note) {
  return fmt::format(
      "<div class=\"card\"><dt>{}</dt><dd><span class=\"big\">{}</span><span "
      "class=\"small\">{}</span></dd></div>\n",
      label, value, note);
}

std::string fleet_figures(const FleetSummary& summary) {
  const FleetResult& result = summary.result;
  std::int64_t named = 0, drifting = 0;
  for (const FleetRobotResult& robot : result.robots) {
    named += !robot.causes.empty();
    drifting += !robot.drifts.empty();
  }
  return "<dl class=\"cards\">\n" +
         fleet_card("Robots", count(static_cast<std::int64_t>(result.robots.size())),
                    fmt::format("{} logs", summary.logs.size())) +
         fleet_card("Named", count(named), fmt::format("false alarm rate: {}", percent(summary.level))) +
         fleet_card("Drifting", count(drifting), "with three logs or more") +
         fleet_card("Left out", count(static_cast<std::int64_t>(summary.problems.size())), "logs") +
         "</dl>\n";
}

std::string named_section(const FleetSummary& summary) {
  std::vector<std::vector<TableCell>> rows;
  for (const FleetRobotResult& robot : summary.result.robots)
    for (const Cause& cause : robot.causes)
      rows.push_back({text_cell(robot.name), text_cell(cause.text), number_cell(cause.amount, 3),
                      number_cell(cause.sigma, 2), number_cell(cause.gain, 3), number_cell(cause.p, 2),
                      text_cell(cause.instead)});
  std::string content;
  if (!summary.result.unavailable.empty()) {
    content += "<p>" + escape(summary.result.unavailable) + ".</p>\n";
  } else {
    content += fmt::format(
        "<p>With {} robots to compare, one is reported when it is off by more than {:.2g} times what healthy "
        "robots differ by, or when its log does not fit.</p>\n",
        summary.result.compared, summary.result.least_deviations);
  }
  if (rows.empty()) return section("named", "Robots that differ", content + "<p>None.</p>\n");
  return section("named", "Robots that differ",
                 content + table("Robots that differ",
                                 {{"Robot", "", false},
                                  {"Cause", "the one with the smallest residual", false},
                                  {"Amount", "kg, share of friction or effort, N·m", true},
                                  {"σ", "", true},
                                  {"Δ", "reduction of the squared residual by the cause", true},
                                  {"p", "corrected for all robots and causes", true},
                                  {"Alternative", "a cause that is nearly as good", false}},
                                 rows));
}

std::string drift_section(const FleetSummary& summary) {
  std::vector<std::vector<TableCell>> rows;
  for (const FleetRobotResult& robot : summary.result.robots)
    for (const Drift& drift : robot.drifts)
      rows.push_back({text_cell(robot.name), text_cell(drift.parameter), text_cell(drift.text),
                      number_cell(drift.since.empty() ? drift.slope : drift.step, 3),
                      number_cell(drift.sigma, 2), number_cell(drift.p, 2)});
  if (rows.empty()) return "";
  return section("drift", "Drift",
                 table("Drift",
                       {{"Robot", "", false},
                        {"Parameter", "", false},
                        {"What", "", false},
                        {"Slope or step", "slope a " + escape(summary.time_unit), true},
                        {"σ", "", true},
                        {"p", "corrected for all robots and parameters", true}},
                       rows));
}

std::string problem_section(const FleetSummary& summary) {
  if (summary.problems.empty()) return "";
  std::vector<std::vector<TableCell>> rows;
  for (const FleetProblem& problem : summary.problems)
    rows.push_back({text_cell(problem.robot), text_cell(problem.log), text_cell(problem.message)});
  return section("problems", "Logs that could not be used or were left out",
                 table("Logs that could not be used or were left out",
                       {{"Robot", "", false}, {"Log", "", false}, {"Why", "", false}}, rows));
}

// Robots from left to right, parameters from top to bottom; a square where a robot is far from the fleet.
std::string map_section(const FleetResult& result) {
  constexpr int kCell = 9, kLeft = 64;
  std::string cells;
  for (std::size_t r = 0; r < result.robots.size(); ++r)
    for (std::size_t c = 0; c < result.columns.size(); ++c) {
      const double off = result.robots[r].deviation[static_cast<Index>(c)];
      const double size = std::abs(off);
      if (size < kFaint) continue;
      cells += fmt::format(
          "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\" "
          "fill-opacity=\"{:.2f}\"><title>{}, {}: {:+.1f} σ</title></rect>\n",
          kLeft + kCell * static_cast<int>(r), kCell * static_cast<int>(c), kCell - 1, kCell - 1,
          off > 0 ? "#d55e00" : "#0072b2", std::min(1.0, 0.15 + 0.85 * (size - kFaint) / (kStrong - kFaint)),
          escape(result.robots[r].name), escape(result.columns[c]), off);
    }
  std::string names;
  for (std::size_t c = 0; c < result.columns.size(); ++c)
    names += fmt::format(
        "<text x=\"{}\" y=\"{}\" font-size=\"8\" text-anchor=\"end\" fill=\"currentColor\">{}</text>\n",
        kLeft - 4, kCell * static_cast<int>(c) + 7, escape(result.columns[c]));
  const int width = kLeft + kCell * static_cast<int>(result.robots.size());
  const int height = kCell * static_cast<int>(result.columns.size());
  return section(
      "map", "Map of differences",
      fmt::format("<p>One column per robot, one row per parameter; orange above the fleet, blue below "
                  "it, from {} standard deviations on (estimate and healthy scatter combined).</p>\n"
                  "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Map of "
                  "differences\"><svg role=\"img\" aria-label=\"differences of {} robots in {} "
                  "parameters\" width=\"{}\" height=\"{}\" viewBox=\"0 0 {} {}\">\n{}{}</svg></div>\n",
                  kFaint, result.robots.size(), result.columns.size(), width, height, width, height, names,
                  cells));
}

std::string robots_section(const FleetResult& result) {
  std::vector<std::vector<TableCell>> rows;
  for (const FleetRobotResult& robot : result.robots) {
    Index farthest = 0;
    if (robot.deviation.size() > 0) robot.deviation.cwiseAbs().maxCoeff(&farthest);
    rows.push_back({text_cell(robot.name), text_cell(robot.causes.empty() ? "" : robot.causes.front().text),
                    percent_cell(robot.residual), percent_cell(robot.fleet_residual),
                    text_cell(result.columns[static_cast<std::size_t>(farthest)]),
                    number_cell(robot.deviation[farthest], 3)});
  }
  return section("robots", "All robots",
                 table("All robots",
                       {{"Robot", "", false},
                        {"Cause", "", false},
                        {"Own residual", "with the robot's own parameters", true},
                        {"Fleet's", "residual with the fleet's parameters", true},
                        {"Farthest parameter", "", false},
                        {"Deviation", "in standard deviations of estimate and healthy scatter", true}},
                       rows));
}

std::string parameters_of_fleet(const FleetResult& result) {
  std::vector<std::vector<TableCell>> rows;
  for (std::size_t c = 0; c < result.columns.size(); ++c) {
    const auto k = static_cast<Index>(c);
    const double value = result.values[k];
    rows.push_back(
        {text_cell(result.columns[c]), number_cell(value, 4), number_cell(result.sigma[k], 2),
         number_cell(result.scatter[k], 2),
         value != 0 ? percent_cell(result.scatter[k] / std::abs(value)) : TableCell{"–", std::nullopt}});
  }
  return section("parameters", "Parameters of the fleet",
                 table("Parameters of the fleet",
                       {{"Parameter", "", false},
                        {"Value", fmt::format("of {} robots combined", result.healthy), true},
                        {"σ", "of the value, robots as blocks", true},
                        {"Scatter", "standard deviation between healthy robots", true},
                        {"Share", "scatter over value", true}},
                       rows));
}

std::string origin_section(const FleetSummary& summary, const ReportOptions& options) {
  std::vector<std::vector<TableCell>> rows;
  for (const FleetLogSummary& log : summary.logs)
    rows.push_back({text_cell(log.robot),
                    text_cell(log.log),
                    text_cell(log.path.empty() ? "simulated" : log.path),
                    {count(log.samples), static_cast<double>(log.samples)},
                    number_cell(log.noise_factor, 3),
                    text_cell(log.sha256.substr(0, 12))});
  std::string text = fmt::format("<p>Steelyard {}, robot file {}.</p>\n", escape(summary.provenance.version),
                                 escape(summary.robot_hash.substr(0, 12)));
  if (!options.command.empty()) text += "<p><code>" + escape(options.command) + "</code></p>\n";
  return section(
      "provenance", "Provenance",
      text + table("Logs",
                   {{"Robot", "", false},
                    {"Log", "", false},
                    {"File", "", false},
                    {"Samples", "", true},
                    {"Noise factor", "standard deviation from blocks of time over that from independent rows",
                     true},
                    {"SHA-256", "", false}},
                   rows));
}

}  // namespace

std::string render_fleet(const FleetSummary& summary, const ReportOptions& options) {
  const FleetResult& result = summary.result;
  std::string links, sections;
  for (const auto& [id, name, html] :
       {std::tuple{"named", "Robots that differ", named_section(summary)},
        std::tuple{"drift", "Drift", drift_section(summary)},
        std::tuple{"problems", "Logs that could not be used", problem_section(summary)},
        std::tuple{"map", "Map", map_section(result)},
        std::tuple{"robots", "All robots", robots_section(result)},
        std::tuple{"parameters", "Parameters", parameters_of_fleet(result)},
        std::tuple{"provenance", "Provenance", origin_section(summary, options)}}) {
    if (html.empty()) continue;
    links += fmt::format("<a href=\"#{}\">{}</a>\n", id, name);
    sections += html;
  }
  const std::string script(assets::tables_js);
  const std::string policy = "default-src 'none'; style-src " + source_hash(assets::report_css) +
                             "; script-src " + source_hash(assets::errors_js) + " " + source_hash(script);
  const std::string title = fmt::format("Fleet of {} {}", result.robots.size(), escape(summary.robot_name));
  return fill(assets::page_html, {{"title", title},
                                  {"policy", policy},
                                  {"style", std::string(assets::report_css)},
                                  {"errors", std::string(assets::errors_js)},
                                  {"header", "<header><h1>" + title + "</h1></header>"},
                                  {"figures", fleet_figures(summary)},
                                  {"links", links},
                                  {"sections", sections},
                                  {"data", "{}"},
                                  {"script", script}});
}

}  // namespace steelyard
