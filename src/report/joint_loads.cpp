#include "steelyard/report/joint_loads.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "steelyard/report/html.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

constexpr double kSheetWidth = 760, kSheetLeft = 70, kSheetRight = 16, kSheetTop = 56, kPanelHeight = 130,
                 kPanelGap = 34, kSheetBottom = 34;
constexpr std::array kSetColors = {"#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00"};
constexpr std::array kSetDashes = {"", "6 3", "2 2", "8 3 2 3", "1 3", "10 4"};  // for print without colours

struct Axis {
  double low = 0, high = 1;
  bool logarithmic = false;

  double share(double value) const {
    const double at = logarithmic ? std::log10(std::max(value, std::pow(10, low))) : value;
    return std::clamp((at - low) / (high - low), 0.0, 1.0);
  }
};

MatrixXd force_sizes(const WrenchCurves& set) {
  MatrixXd sizes(set.torque.rows(), set.torque.cols());
  for (Index j = 0; j < sizes.cols(); ++j) sizes.col(j) = set.wrench.middleCols(6 * j, 3).rowwise().norm();
  return sizes;
}

Axis axis_of(const std::vector<MatrixXd>& sizes, Index joint) {
  constexpr double kFar = 10;
  double most = 0, least = kInfinity, smallest = kInfinity;
  for (const MatrixXd& set : sizes) {
    const double own = set.col(joint).maxCoeff();
    most = std::max(most, own);
    least = std::min(least, own);
    smallest = std::min(smallest, set.col(joint).minCoeff());
  }
  if (!(most > 0)) return {};
  if (!(least > 0) || most <= kFar * least) return {0, 1.05 * most, false};
  // Down to a thousandth of the smaller set's largest value: what passes through zero has no logarithm.
  const double low = std::max(smallest, 1e-3 * least);
  return {std::floor(std::log10(low)), std::ceil(std::log10(most)), true};
}

std::string axis_text(const Axis& axis, double top) {
  std::string text;
  const int steps = axis.logarithmic ? static_cast<int>(axis.high - axis.low) : 4;
  const int every = std::max(1, (steps + 3) / 4);  // four labels fit a panel
  for (int k = 0; k <= steps; k += every) {
    const double at = axis.low + (axis.high - axis.low) * k / steps;
    const double y = top + kPanelHeight * (1 - static_cast<double>(k) / steps);
    text += fmt::format(
        "<line class=\"grid\" x1=\"{}\" x2=\"{}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>"
        "<text class=\"tick\" x=\"{}\" y=\"{:.1f}\">{:.3g}</text>\n",
        kSheetLeft, kSheetWidth - kSheetRight, y, y, kSheetLeft - 6, y + 4,
        axis.logarithmic ? std::pow(10, at) : at);
  }
  return text;
}

std::string curve_text(const VectorXd& time, const VectorXd& values, const Axis& axis, double top,
                       std::size_t set) {
  const double begin = time[0], length = std::max(time[time.size() - 1] - begin, 1e-9);
  std::string points;
  for (Index s = 0; s < values.size(); ++s)
    points += fmt::format("{}{:.1f},{:.1f}", s > 0 ? " " : "",
                          kSheetLeft + (kSheetWidth - kSheetLeft - kSheetRight) * (time[s] - begin) / length,
                          top + kPanelHeight * (1 - axis.share(values[s])));
  return fmt::format("<polyline stroke=\"{}\" stroke-dasharray=\"{}\" points=\"{}\"/>\n",
                     kSetColors[set % kSetColors.size()], kSetDashes[set % kSetDashes.size()], points);
}

std::string legend_text(const JointLoads& loads) {
  std::string text;
  double x = kSheetLeft;
  for (std::size_t k = 0; k < loads.sets.size(); ++k) {
    const std::string& name = loads.sets[k].set;
    text += fmt::format(
        "<line x1=\"{}\" x2=\"{}\" y1=\"38\" y2=\"38\" stroke=\"{}\" stroke-dasharray=\"{}\"/>"
        "<text x=\"{}\" y=\"42\">{}</text>\n",
        x, x + 26, kSetColors[k % kSetColors.size()], kSetDashes[k % kSetDashes.size()], x + 32,
        escape(name));
    x += 48 + 7 * static_cast<double>(name.size());
  }
  return text;
}

}  // namespace

std::string joint_loads_csv(const JointLoads& loads) {
  std::string text = "time,set,joint,fx,fy,fz,mx,my,mz,torque\n";
  for (Index s = 0; s < loads.motion.q.rows(); ++s)
    for (const WrenchCurves& set : loads.sets)
      for (Index j = 0; j < set.torque.cols(); ++j) {
        text += fmt::format("{:.6g},{},{}", loads.motion.time[s], set.set,
                            loads.joints[static_cast<std::size_t>(j)]);
        for (Index k = 0; k < 6; ++k) text += fmt::format(",{:.9g}", set.wrench(s, 6 * j + k));
        text += fmt::format(",{:.9g}\n", set.torque(s, j));
      }
  return text;
}

std::string joint_loads_svg(const JointLoads& loads) {
  std::vector<MatrixXd> sizes;
  for (const WrenchCurves& set : loads.sets) sizes.push_back(force_sizes(set));
  const auto joints = static_cast<double>(loads.joints.size());
  const double height = kSheetTop + joints * (kPanelHeight + kPanelGap) + kSheetBottom;
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" width=\"{}\" height=\"{}\">\n"
      "<style>text{{font:12px sans-serif;fill:#222}}.tick{{text-anchor:end}}.grid{{stroke:#ddd}}"
      "polyline,line{{fill:none;stroke-width:1.5}}.grid{{stroke-width:1}}</style>\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
      "<text x=\"{}\" y=\"20\">{}: force in each joint [N] on {}</text>\n",
      kSheetWidth, height, kSheetWidth, height, kSheetLeft, escape(loads.robot), escape(loads.motion.label));
  text += legend_text(loads);
  for (std::size_t j = 0; j < loads.joints.size() && loads.motion.time.size() > 0; ++j) {
    const auto joint = static_cast<Index>(j);
    const double top = kSheetTop + static_cast<double>(j) * (kPanelHeight + kPanelGap) + kPanelGap / 2;
    const Axis axis = axis_of(sizes, joint);
    text += fmt::format("<text x=\"{}\" y=\"{:.1f}\">{}{}</text>\n", kSheetLeft, top - 4,
                        escape(loads.joints[j]), axis.logarithmic ? " (logarithmic)" : "");
    text += axis_text(axis, top);
    for (std::size_t k = 0; k < sizes.size(); ++k)
      text += curve_text(loads.motion.time, sizes[k].col(joint), axis, top, k);
  }
  const VectorXd& time = loads.motion.time;
  if (time.size() > 0)
    text += fmt::format(
        "<text x=\"{}\" y=\"{:.1f}\">{:.4g} s</text><text class=\"tick\" x=\"{}\" y=\"{:.1f}\">{:.4g} "
        "s</text>\n",
        kSheetLeft, height - 16, time[0], kSheetWidth - kSheetRight, height - 16, time[time.size() - 1]);
  return text + "</svg>\n";
}

}  // namespace steelyard
