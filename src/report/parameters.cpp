// Base parameters with their intervals, drives, provenance.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "report/sections.hpp"
#include "steelyard/report/html.hpp"
#include "steelyard/result/json_text.hpp"

namespace steelyard::inline STEELYARD_ABI {

namespace {

TableCell optional_cell(const std::optional<double>& number) {
  if (!number) return {"–", std::nullopt};
  return number_cell(*number, 3);
}

// The interval around the value, in shares of |value|: the picture goes from −100 % to +100 %, what is beyond
// ends in arrows. An interval that holds zero does not even know the sign; it is hatched by its style.
TableCell interval_cell(const BaseValue& column) {
  if (!column.interval) return {"–", std::nullopt};
  const auto [low, high] = *column.interval;
  const std::string title = fmt::format("{:.5g} to {:.5g}", low, high);
  const double size = std::abs(column.value);
  const auto place = [&](double end) {
    return size > 0 ? 50 + 50 * std::clamp((end - column.value) / size, -1.0, 1.0) : end < 0 ? 0.0 : 100.0;
  };
  const double left = place(low);
  const double right = place(high);
  const bool holds_zero = low <= 0 && high >= 0;
  std::string arrows;
  if (left <= 0) arrows += "<path d=\"M5 1 0 6l5 5\"/>";
  if (right >= 100) arrows += "<path d=\"M95 1l5 5-5 5\"/>";
  const std::string picture = fmt::format(
      "<svg class=\"interval{}\" viewBox=\"0 0 100 12\" role=\"img\" aria-label=\"{}\"><title>{}</title>"
      "<path class=\"axis\" d=\"M0 6h100M25 4v4M75 4v4\"/><rect x=\"{:.2f}\" y=\"3\" width=\"{:.2f}\" "
      "height=\"6\"/>"
      "<path class=\"value\" d=\"M50 1v10\"/>{}</svg>",
      holds_zero ? " open" : "", title, title, left - 0.4, right - left + 0.8, arrows);
  if (!(size > 0)) return {picture, std::nullopt};
  return {picture, (high - low) / size};
}

TableCell status_cell(const std::string& status) {
  const bool plain = status == "determined";
  return {fmt::format("<span class=\"tag{}\">{}</span>", plain ? " plain" : " warning", escape(status)),
          std::nullopt};
}

std::vector<std::string> drive_names(const std::vector<DriveValues>& drives) {
  std::vector<std::string> names;
  std::set<std::string> present;
  for (const DriveValues& drive : drives) {
    for (const auto& value : drive.values) present.insert(value.first);
  }
  for (const char* usual : {"fv", "fc", "fo", "Ia"}) {
    if (present.erase(usual) > 0) names.emplace_back(usual);
  }
  names.insert(names.end(), present.begin(), present.end());
  return names;
}

std::string drive_hint(const std::string& name) {
  if (name == "fv") return "viscous friction, N·m·s/rad";
  if (name == "fc") return "Coulomb friction, N·m";
  if (name == "fo") return "offset, N·m";
  if (name == "Ia") return "rotor inertia at the joint, kg·m²";
  return "";
}

std::string fact(const char* name, const std::string& html) {
  return fmt::format("<dt>{}</dt><dd>{}</dd>\n", name, html);
}

}  // namespace

std::string base_section(const Result& result) {
  std::vector<std::vector<TableCell>> rows;
  double number = 0;
  for (const BaseValue& column : result.base) {
    number += 1;
    rows.push_back({number_cell(number, 1),
                    {"<code>" + escape(column.name) + "</code>", std::nullopt},
                    {"<span class=\"expression\">" + escape(column.expression) + "</span>", std::nullopt},
                    number_cell(column.value, 5),
                    optional_cell(column.sigma),
                    percent_cell(column.relative_sigma),
                    interval_cell(column),
                    status_cell(column.status)});
  }
  std::set<std::string> methods;
  for (const BaseValue& column : result.base) {
    if (!column.method.empty()) methods.insert(column.method);
  }
  std::string how;
  for (const std::string& method : methods) how += (how.empty() ? "" : ", ") + escape(method);
  const std::string hint = fmt::format(
      "<p class=\"hint\">Every identifiable combination of parameters, in SI units. The bar shows "
      "the interval "
      "around the value, from −100 % to +100 % of it; a hollow bar contains zero: not even the sign is "
      "known.{}</p>\n",
      how.empty() ? "" : " σ and intervals: " + how + ".");
  return section("base", "Base parameters",
                 table("Base parameters",
                       {{"#", "order of the estimate", true},
                        {"Lead", "lead column", false},
                        {"Expression", "", false},
                        {"Value", "SI units", true},
                        {"σ", "standard deviation", true},
                        {"Relative σ", "σ / |value|", true},
                        {"Interval", "width relative to the value", false},
                        {"Status", "", false}},
                       rows) +
                     hint);
}

std::string drives_section(const Result& result) {
  if (result.drives.empty()) return "";
  const std::vector<std::string> names = drive_names(result.drives);
  std::vector<TableColumn> columns = {{"Joint", "", false}};
  for (const std::string& name : names) columns.push_back({name, drive_hint(name), true});
  columns.push_back({"Status", "", false});
  std::vector<std::vector<TableCell>> rows;
  for (const DriveValues& drive : result.drives) {
    std::vector<TableCell> row = {text_cell(drive.joint)};
    for (const std::string& name : names) {
      const auto found = drive.values.find(name);
      row.push_back(found == drive.values.end() ? TableCell{"–", std::nullopt}
                                                : number_cell(found->second, 4));
    }
    row.push_back(status_cell(drive.status));
    rows.push_back(std::move(row));
  }
  return section(
      "drives", "Drives",
      table("Drives", columns, rows) +
          "<p class=\"hint\">fv viscous friction, fc Coulomb friction, fo offset, Ia rotor inertia; at the "
          "joint, in SI units.</p>\n");
}

std::string provenance_section(const Result& result, const ReportOptions& options) {
  const Provenance& provenance = result.provenance;
  std::string html = "<dl class=\"facts\">\n";
  if (!options.command.empty()) html += fact("Command", "<code>" + escape(options.command) + "</code>");
  html += fact("Steelyard", escape(provenance.version));
  html += fact("Instruction set", escape(provenance.isa));
  html += fact("Seed", std::to_string(provenance.seed));
  html += fact("Robot", fmt::format("{} <code class=\"hash\">{}</code>", escape(result.robot_name),
                                    escape(result.robot_hash)));
  html += fact("Passes over the log", std::to_string(result.passes));
  html += "</dl>\n";
  std::vector<std::vector<TableCell>> rows;
  for (const InputFile& input : provenance.inputs) {
    rows.push_back({{"<code>" + escape(input.path) + "</code>", std::nullopt},
                    {"<code class=\"hash\">" + escape(input.sha256) + "</code>", std::nullopt}});
  }
  if (!rows.empty()) html += table("Input files", {{"Input", "", false}, {"SHA-256", "", false}}, rows);
  if (!provenance.options.empty()) {
    JsonWriter json(JsonStyle::readable);
    write_options(json, provenance.options);
    html += "<details><summary>The study with all defaults</summary><pre>" + escape(json.text()) +
            "</pre></details>\n";
  }
  return section("provenance", "Provenance", html);
}

}  // namespace steelyard
