// Signs of efforts that were logged without: one drawing a joint, its segments by the sign that was found.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/sections.hpp"
#include "steelyard/report/html.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr double kWidth = 1000, kHeight = 96, kTop = 16;  // of a drawing; signs stand in its top

// Where the drawing of a joint's curve has its time and effort.
struct SignsAxes {
  double begin = 0, end = 1, largest = 1;
  double x(double time) const { return kWidth * (time - begin) / (end - begin); }
  double y(double effort) const { return kHeight - (kHeight - kTop) * std::min(1.0, effort / largest); }
};

SignsAxes axes_of(const EffortCurve& curve) {
  SignsAxes axes;
  axes.begin = curve.time.front();
  axes.end = std::max(curve.time.back(), axes.begin + 1e-9);
  axes.largest = 1e-300;
  for (const double effort : curve.measured_max)
    if (std::isfinite(effort)) axes.largest = std::max(axes.largest, effort);
  return axes;
}

std::string middle_line(const EffortCurve& curve, const std::vector<double>& low,
                        const std::vector<double>& high, const SignsAxes& axes, const char* name) {
  std::string points;
  for (std::size_t k = 0; k < std::min(curve.time.size(), low.size()); ++k) {
    const double effort = (low[k] + high[k]) / 2;
    if (std::isfinite(effort)) points += fmt::format("{:.1f},{:.1f} ", axes.x(curve.time[k]), axes.y(effort));
  }
  return fmt::format("<polyline class=\"{}\" points=\"{}\"/>", name, points);
}

std::string band(const SegmentSummary& segment, const SignsAxes& axes) {
  const double x = axes.x(segment.start), width = std::max(1.0, axes.x(segment.end) - x);
  const char* name = !segment.decided ? "open" : segment.sign > 0 ? "plus" : "minus";
  const char* sign = !segment.decided ? "?" : segment.sign > 0 ? "+" : "−";
  const std::string hint =
      segment.probability  ? fmt::format("right with probability {}", figure(*segment.probability, 4))
      : segment.confidence ? fmt::format("{:.1f} standard deviations", *segment.confidence)
                           : std::string("known");
  return fmt::format(
      "<g class=\"{0}\"><title>{1}, {2:.2f} … {3:.2f} s, {4}</title><rect x=\"{5:.1f}\" y=\"{6}\" "
      "width=\"{7:.1f}\" height=\"{8}\"/><text x=\"{9:.1f}\" y=\"12\">{1}</text></g>",
      name, sign, segment.start, segment.end, hint, x, kTop, width, kHeight - kTop, x + width / 2);
}

std::string joint_drawing(const EffortCurve& curve, const SignsSummary& signs) {
  const SignsAxes axes = axes_of(curve);
  std::string bands;
  int plus = 0, minus = 0, open = 0;
  for (const SegmentSummary& segment : signs.segments) {
    if (segment.run != curve.run || segment.joint != curve.joint) continue;
    bands += band(segment, axes);
    ++(!segment.decided ? open : segment.sign > 0 ? plus : minus);
  }
  const std::string text = fmt::format("{} positive, {} negative, {} undecided", plus, minus, open);
  return fmt::format(
      "<h3>{0}, {1}</h3><p class=\"hint\">{2}; up to {3} {4}</p><svg class=\"signs\" role=\"img\" "
      "aria-label=\"{2}\" viewBox=\"0 0 {5} {6}\">{7}{8}{9}</svg>\n",
      escape(curve.run), escape(curve.joint), text, figure(axes.largest, 3), escape(curve.unit), kWidth,
      kHeight, bands, middle_line(curve, curve.measured_min, curve.measured_max, axes, "logged"),
      middle_line(curve, curve.predicted_min, curve.predicted_max, axes, "model"));
}

std::string gains_table(const std::vector<SignGain>& gains) {
  std::vector<std::vector<TableCell>> rows;
  for (const SignGain& gain : gains)
    rows.push_back({text_cell(gain.joint), number_cell(gain.value, 4),
                    gain.interval ? text_cell(fmt::format("{} … {}", figure(gain.interval->first, 4),
                                                          figure(gain.interval->second, 4)))
                                  : text_cell(""),
                    number_cell(gain.a_priori, 4), text_cell(gain.status)});
  return table("Gains estimated with the signs",
               {{"Joint", "", false},
                {"Gain", "effort per logged unit", true},
                {"Interval", "assuming the signs are certain", false},
                {"Assumed", "in the study", true},
                {"Status", "", false}},
               rows);
}

std::string groups_table(const std::vector<SignGroup>& groups) {
  std::vector<std::vector<TableCell>> rows;
  for (const SignGroup& group : groups)
    rows.push_back({text_cell(fmt::format("{}", fmt::join(group.joints, ", "))),
                    number_cell(static_cast<double>(group.segments), 6), number_cell(group.probability, 3),
                    text_cell(group.evidence)});
  return table("Segments whose signs flip together: all of a group are right, or all are wrong",
               {{"Joints", "", false},
                {"Segments", "", true},
                {"Probability", "that they are right", true},
                {"Evidence", "", false}},
               rows);
}

std::string segment_name(const SegmentSummary& segment) {
  return fmt::format("{}, {:.2f} … {:.2f} s", segment.joint, segment.start, segment.end);
}

// The nodes of every level from left to right, each below its parent where it can be; the best path is bold.
std::string tree_picture(const SignTree& tree) {
  constexpr double kLevel = 26, kNode = 34, kEdge = 14;
  std::size_t most = 1;
  for (const SignTreeLevel& level : tree.levels) most = std::max(most, level.nodes.size());
  const double width = 2 * kEdge + kLevel * static_cast<double>(tree.levels.size());
  const double height = 2 * kEdge + kNode * static_cast<double>(most - 1);
  const auto x = [&](std::size_t level) { return kEdge + kLevel * static_cast<double>(level); };
  const auto y = [&](std::size_t node) { return kEdge + kNode * static_cast<double>(node); };
  std::string lines, circles;
  std::size_t best = 0;  // of the level, on the path of the result
  for (std::size_t l = tree.levels.size(); l-- > 0;) {
    const std::vector<SignTreeNode>& nodes = tree.levels[l].nodes;
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      const char* chosen = k == best ? " chosen" : "";
      if (l > 0)
        lines += fmt::format(
            "<line class=\"branch{}\" x1=\"{:.0f}\" y1=\"{:.0f}\" x2=\"{:.0f}\" y2=\"{:.0f}\"/>", chosen,
            x(l - 1), y(static_cast<std::size_t>(std::max(nodes[k].parent, 1) - 1)), x(l), y(k));
      circles += fmt::format(
          "<circle class=\"{}{}\" cx=\"{:.0f}\" cy=\"{:.0f}\" r=\"5\"><title>{}, cost {}</title></circle>",
          nodes[k].sign > 0 ? "plus" : "minus", chosen, x(l), y(k), nodes[k].sign > 0 ? "+" : "−",
          figure(nodes[k].cost, 4));
    }
    if (l > 0 && best < nodes.size()) best = static_cast<std::size_t>(nodes[best].parent - 1);
  }
  return fmt::format(
      "<svg class=\"signs tree\" role=\"img\" aria-label=\"Tree of signs\" viewBox=\"0 0 {:.0f} "
      "{:.0f}\">{}{}</svg>\n",
      width, height, lines, circles);
}

std::string tree_part(const SignTree& tree, const std::vector<SegmentSummary>& segments) {
  std::vector<std::vector<TableCell>> rows;
  int known = tree.s0;
  for (const SignTreeLevel& level : tree.levels) {
    std::string signs, costs;
    for (const SignTreeNode& node : level.nodes) {
      signs += node.sign > 0 ? "+" : "−";
      costs += (costs.empty() ? "" : ", ") + figure(node.cost, 4);
    }
    const auto added = static_cast<std::size_t>(level.segment - 1);
    rows.push_back({number_cell(static_cast<double>(known++), 6),
                    text_cell(added < segments.size() ? segment_name(segments[added]) : ""), text_cell(signs),
                    text_cell(costs)});
  }
  const std::string text = fmt::format(
      "<h3>Tree search (T-PBPR)</h3><p>s<sub>0</sub> = {}, w = {}, segments {}, node cost {}, retrieval {}: "
      "{} nodes, "
      "final φ<sub>2</sub> {}; {}. {} base parameters have a standard deviation below a quarter of their "
      "value.</p>\n",
      tree.s0, tree.w, escape(tree.order), escape(tree.node_cost), escape(tree.retrieval), tree.nodes,
      figure(tree.cost, 4),
      tree.differs == 0 ? std::string("its signs are those above")
                        : fmt::format("{} of its signs differ from those above", tree.differs),
      tree.significant.size());
  return text + tree_picture(tree) +
         table("Hypotheses that were kept, level by level",
               {{"Segments", "that have a sign", true},
                {"Added", "on the first level the last of them", false},
                {"Its sign", "best hypothesis first", false},
                {"Costs", "", false}},
               rows);
}

}  // namespace

std::string signs_section(const Result& result, const std::vector<EffortCurve>& curves) {
  if (!result.signs) return "";
  const SignsSummary& signs = *result.signs;
  std::string content = fmt::format(
      "<p>{} segments with {} of the samples; {} of them are decided. {}.</p>\n"
      "<p class=\"hint\">Grey: logged |effort|. Line: the model's, also between segments. "
      "Bands: "
      "segments, + and − the recovered signs, ? those excluded from the estimate.</p>\n",
      signs.segments.size(), percent(signs.kept_share), percent(signs.decided_share),
      signs.certified == "not-searched" ? "Their signs are those of the tree search, which proves nothing"
      : signs.certified == "feasible-optimal"
          ? "No other signs fit a feasible robot better (proven for these segments and weights)"
          : "The search reached its limits: " + escape(signs.certified));
  if (!signs.scale.empty())
    content += fmt::format(
        "<p><strong>Arbitrary unit</strong>: no gain is known, and that of {} counts as 1. Efforts, masses "
        "and inertias "
        "are in the unit that this makes, whatever unit is printed beside them; only ratios mean "
        "something.</p>\n",
        escape(signs.scale));
  if (!signs.groups.empty()) content += groups_table(signs.groups);
  if (!signs.gains.empty()) content += gains_table(signs.gains);
  if (signs.tree) content += tree_part(*signs.tree, signs.segments);
  for (const EffortCurve& curve : curves) {
    const bool is_unsigned = std::any_of(signs.segments.begin(), signs.segments.end(),
                                         [&](const SegmentSummary& s) { return s.run == curve.run; });
    if (is_unsigned && !curve.time.empty()) content += joint_drawing(curve, signs);
  }
  return section("signs", "Signs", content);
}

}  // namespace steelyard
