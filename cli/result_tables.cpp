#include "result_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "output.hpp"
#include "text.hpp"

namespace cli {
namespace {

using steelyard::GainMethodSummary;
using steelyard::GainValue;
using steelyard::Result;

constexpr std::size_t kScreen = 30;   // rows of a table
constexpr std::size_t kPattern = 56;  // segments of a line

// "" or "  … 14 more in result.json\n".
std::string rest_text(std::size_t all) {
  return all > kScreen ? fmt::format("  … {} more in result.json\n", all - kScreen) : "";
}

std::string bound(const std::optional<std::pair<double, double>>& interval, bool upper) {
  return interval ? number(upper ? interval->second : interval->first, 4) : "-";
}

// The method that gave the torques with its intervals, the values of the others beside it.
std::string gains_table(const steelyard::GainsSummary& gains) {
  const auto used =
      std::find_if(gains.methods.begin(), gains.methods.end(),
                   [&](const GainMethodSummary& method) { return method.method == gains.used; });
  if (used == gains.methods.end()) return "";
  std::vector<std::string> head = {"joint", "value", "from", "to", "status"};
  for (const GainMethodSummary& method : gains.methods)
    if (method.method != gains.used) head.push_back(method.method);
  Table table(head);
  for (std::size_t j = 0; j < std::min(used->joints.size(), kScreen); ++j) {
    const GainValue& own = used->joints[j];
    const auto interval = own.gain ? own.gain->interval : std::nullopt;
    std::vector<std::string> row = {own.joint, own.gain ? number(own.gain->value, 4) : "-",
                                    bound(interval, false), bound(interval, true), own.status};
    for (const GainMethodSummary& method : gains.methods)
      if (method.method != gains.used)
        row.push_back(j < method.joints.size() && method.joints[j].gain
                          ? number(method.joints[j].gain->value, 4)
                          : "-");
    table.add(row);
  }
  return fmt::format("\nDrive gains by {}, effort per logged unit\n", used->method) + table.to_string() +
         rest_text(used->joints.size());
}

std::string loads_table(const std::vector<steelyard::PayloadSummary>& loads) {
  Table table({"load", "run", "mass kg", "±", "weighed", "cx m", "cy m", "cz m"});
  table.names(1);
  for (std::size_t k = 0; k < std::min(loads.size(), kScreen); ++k) {
    const steelyard::PayloadSummary& load = loads[k];
    const auto m = load.parameters.find("m");
    const bool known = m != load.parameters.end();
    const steelyard::UncertainValue mass =
        load.shown_mass ? *load.shown_mass : (known ? m->second : steelyard::UncertainValue{});
    std::vector<std::string> row = {load.name, load.run, known ? number(mass.value, 4) : "-",
                                    known && mass.sigma ? number(*mass.sigma, 2) : "-",
                                    load.known_mass ? number(*load.known_mass, 4) : "-"};
    for (const char* name : {"mx", "my", "mz"}) {
      const auto moment = load.parameters.find(name);
      const bool has = known && moment != load.parameters.end() && m->second.value > 0;
      row.push_back(has ? number(moment->second.value / m->second.value, 3) : "-");
    }
    table.add(row);
  }
  return "\nLoads, in the tool frame\n" + table.to_string() + rest_text(loads.size());
}

std::string signs_table(const steelyard::SignsSummary& signs) {
  const auto decided = std::count_if(signs.segments.begin(), signs.segments.end(),
                                     [](const steelyard::SegmentSummary& one) { return one.decided; });
  return fmt::format("\nSigns: {} of {} segments decided, {:.1f} % of their samples; {}\n", decided,
                     signs.segments.size(), 100 * signs.decided_share, signs.certified) +
         segments_text(signs.segments, false) + sign_notes_text(signs);
}

// "sigmoid", "linear + load".
std::string friction_form(const steelyard::DriveValues& drive) {
  if (!drive.friction) return "linear";
  return drive.friction->model + (drive.friction->load.empty() ? "" : " + " + drive.friction->load);
}

// "7.2 %", "7.2 % driving, 3 % driven": of its load, that a gear holds at rest.
std::string share_held(const steelyard::RestValues& rest) {
  if (rest.driving == 0 && rest.driven == 0) return "-";
  if (rest.driving == rest.driven) return fmt::format("{:.2g} %", 100 * rest.driving);
  return fmt::format("{:.2g} % driving, {:.2g} % driven", 100 * rest.driving, 100 * rest.driven);
}

// Joints whose form of friction was requested or chosen, and the band within which they stay at rest.
std::string friction_table(const std::vector<steelyard::DriveValues>& drives) {
  Table table({"joint", "form", "fv", "fc", "rest up", "rest down", "and of the load"});
  table.names(1);
  std::size_t forms = 0;
  for (const steelyard::DriveValues& drive : drives) {
    if (!drive.friction || forms++ >= kScreen) continue;
    const auto value = [&](const char* name) {
      const auto found = drive.friction->parameters.find(name);
      return found != drive.friction->parameters.end() ? number(found->second, 3) : "-";
    };
    table.add({drive.joint, friction_form(drive), value("fv"), value("fc"),
               drive.rest ? number(drive.rest->up, 3) : "-", drive.rest ? number(drive.rest->down, 3) : "-",
               drive.rest ? share_held(*drive.rest) : "-"});
  }
  if (forms == 0) return "";
  return "\nFriction; rest: up to this effort, beside load and offset, a joint does not move\n" +
         table.to_string() + rest_text(forms);
}

std::string links_table(const Result& result) {
  Table table({"link", "mass kg", "cx m", "cy m", "cz m", "chosen"});
  double total = 0;
  for (const steelyard::LinkValues& link : result.links) total += link.mass;
  for (std::size_t k = 0; k < std::min(result.links.size(), kScreen); ++k) {
    const steelyard::LinkValues& link = result.links[k];
    table.add({link.name, number(link.mass, 4), number(link.com.x(), 3), number(link.com.y(), 3),
               number(link.com.z(), 3), fmt::format("{} of 10", link.chosen.size())});
  }
  table.add({"all", number(total, 4), "", "", "", ""});
  return "\nFeasible links; chosen: parameters that the efforts do not determine\n" + table.to_string() +
         rest_text(result.links.size());
}

// Above what four digits can show: how far from certain.
std::string probability_text(double probability) {
  constexpr double kNearlyCertain = 0.999;
  if (probability < kNearlyCertain || probability >= 1) return fmt::format("{:.3g}", probability);
  return fmt::format("1 - {:.1g}", 1 - probability);
}

std::string sign_gains_text(const std::vector<steelyard::SignGain>& gains) {
  if (gains.empty()) return "";
  Table table({"joint", "gain", "±", "assumed", "status"});
  for (const steelyard::SignGain& gain : gains)
    table.add({gain.joint, number(gain.value, 4), gain.sigma ? number(*gain.sigma, 2) : "-",
               number(gain.a_priori, 4), gain.status});
  return "\nDrive gains estimated with the signs\n" + table.to_string();
}

}  // namespace

std::string sign_notes_text(const steelyard::SignsSummary& signs) {
  std::string text =
      fmt::format("  φ2 = {:.6g}; no pattern has less than {:.6g}\n", signs.cost, signs.lower_bound);
  for (const steelyard::SignGroup& group : signs.groups)
    text += wrapped(fmt::format("{} segments of {} flip together, right with probability {}", group.segments,
                                fmt::join(group.joints, ", "), probability_text(group.probability)),
                    "  ", "    ");
  if (signs.tree)
    text +=
        "\n" +
        wrapped(fmt::format("Tree search (T-PBPR), s0 = {}, w = {}, segments {}, node cost {}, retrieval {}: "
                            "{} nodes, φ2 "
                            "{:.4g}, {}",
                            signs.tree->s0, signs.tree->w, signs.tree->order, signs.tree->node_cost,
                            signs.tree->retrieval, signs.tree->nodes, signs.tree->cost,
                            signs.tree->differs == 0 ? std::string("the same signs")
                                                     : fmt::format("{} signs differ", signs.tree->differs)),
                "", "  ");
  text += sign_gains_text(signs.gains);
  if (!signs.scale.empty())
    text += wrapped(
        fmt::format(
            "Arbitrary unit: the gain of {} counts as 1, only ratios of efforts and masses mean something",
            signs.scale),
        "", "  ");
  return text;
}

std::string segments_text(const std::vector<steelyard::SegmentSummary>& segments, bool all) {
  struct Line {
    std::string signs;
    const steelyard::SegmentSummary* least = nullptr;  // the least probable of them
  };
  std::map<std::pair<std::string, std::string>, Line> lines;
  std::vector<std::pair<std::string, std::string>> order;
  for (const steelyard::SegmentSummary& segment : segments) {
    const std::pair<std::string, std::string> key{segment.run, segment.joint};
    if (lines.find(key) == lines.end()) order.push_back(key);
    Line& line = lines[key];
    line.signs += segment.decided ? (segment.sign > 0 ? '+' : '-') : '?';
    if (segment.probability && (line.least == nullptr || *segment.probability < *line.least->probability))
      line.least = &segment;
  }
  const std::size_t shown = all ? order.size() : std::min(order.size(), kScreen);
  std::string text;
  for (std::size_t k = 0; k < shown; ++k) {
    const Line& line = lines[order[k]];
    const bool cut = !all && line.signs.size() > kPattern;
    std::string words = fmt::format("{}, {}: {}", order[k].first, order[k].second,
                                    cut ? line.signs.substr(0, kPattern) : line.signs);
    if (cut) words += fmt::format(" … {} in all", line.signs.size());
    if (line.least != nullptr)
      words += fmt::format(", least sure {} at {:.4g} s", probability_text(*line.least->probability),
                           line.least->start);
    text += wrapped(words, "  ", "    ");
  }
  return all ? text : text + rest_text(order.size());
}

std::string tables_text(const Result& result) {
  std::string text;
  text += friction_table(result.drives);
  if (result.gains) text += gains_table(*result.gains);
  if (!result.payloads.empty()) text += loads_table(result.payloads);
  if (result.signs) text += signs_table(*result.signs);
  if (result.feasible && !result.links.empty()) text += links_table(result);
  return text;
}

}  // namespace cli
