#include "reverse_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <sstream>

#include "output.hpp"
#include "text.hpp"

namespace cli {
namespace {

using steelyard::ReverseComponent;
using steelyard::ReverseErrors;
using steelyard::ReverseSummary;

std::string optional_number(const std::optional<double>& value) {
  return value ? number(*value, 4) : "-";
}

std::string parts_text(const ReverseSummary& reverse) {
  Table table({"fit of", "unknowns", "known", "condition", "not explained"});
  for (const steelyard::ReversePart& part : reverse.parts)
    table.add({part.rows, std::to_string(part.unknowns), std::to_string(part.rank),
               optional_number(part.condition), number(part.relative, 3)});
  return "Fits\n" + table.to_string();
}

// To two digits of its standard deviation.
std::string to_deviation(double value, const std::optional<double>& sigma) {
  if (!sigma || !(*sigma > 0)) return number(value, 6);
  return fmt::format("{:.{}f}", value,
                     std::clamp(1 - static_cast<int>(std::floor(std::log10(*sigma))), 0, 12));
}

// The expression of every coefficient follows the aligned numbers.
std::string with_expressions(const std::string& table, const std::vector<steelyard::BaseValue>& base) {
  std::istringstream lines(table);
  std::string text, line;
  std::getline(lines, line);
  text += line + "  is\n";
  for (const steelyard::BaseValue& value : base) {
    std::getline(lines, line);
    constexpr std::size_t kWidest = 50;
    const std::string& is = value.expression.empty() ? value.name : value.expression;
    const bool beside = line.size() <= kWidest;
    const std::size_t indent = beside ? line.size() + 2 : 6;
    text += line + (beside ? "  " : "\n      ") + wrapped_expression(is, indent) + "\n";
  }
  return text;
}

std::string coefficients_text(const steelyard::Result& result) {
  const auto& reference = result.reverse->reference;
  std::vector<std::string> titles = {"coefficient", "value", "±"};
  if (reference) titles.insert(titles.end(), {reference->label, "±", "difference"});
  Table table(titles);
  for (const steelyard::BaseValue& value : result.base) {
    std::vector<std::string> line = {value.name, to_deviation(value.value, value.sigma),
                                     value.sigma ? number(*value.sigma, 2) : "-"};
    if (reference) {
      const auto found =
          std::find_if(reference->values.begin(), reference->values.end(),
                       [&](const steelyard::ReverseParameter& other) { return other.name == value.name; });
      if (found == reference->values.end())
        line.insert(line.end(), {"-", "-", "-"});
      else
        line.insert(line.end(), {number(found->value, 5), found->sigma ? number(*found->sigma, 2) : "-",
                                 fmt::format("{:.4f}", value.value - found->value)});
    }
    table.add(line);
  }
  return "\nCoefficients (SI units)\n" + with_expressions(table.to_string(), result.base);
}

std::string unknown_text(const ReverseSummary& reverse) {
  std::string text;
  if (!reverse.unknown.empty())
    text = "\n" +
           wrapped(fmt::format("No such table identifies {}; every other parameter is identifiable only in "
                               "the sums above.",
                               fmt::join(reverse.unknown, ", ")),
                   "", "");
  if (reverse.design) {
    std::string design = fmt::format("{} well chosen configurations are enough", reverse.design->least);
    if (reverse.design->efficiency && reverse.design->mean_variance)
      design += fmt::format(
          "; compared with as many random ones these have {:.2f} of the determinant (per coefficient) and "
          "{:.2f} "
          "of the mean variance",
          *reverse.design->efficiency, *reverse.design->mean_variance);
    text += (text.empty() ? "\n" : "") + wrapped(design + ".", "", "");
  }
  return text;
}

// Torque error of a joint behind the study's filters.
std::string filtered_rms(const steelyard::Result& result, const std::string& label,
                         const std::string& joint) {
  for (const steelyard::RunValidation& run : result.validation)
    if (run.run == label)
      for (const steelyard::JointResidual& residual : run.residual.per_joint)
        if (residual.name == joint) return number(residual.rms, 3);
  return "-";
}

// Sets beside each other: mean square and largest error of every component.
std::string errors_text(const steelyard::Result& result, bool torques) {
  const ReverseSummary& reverse = *result.reverse;
  std::vector<const ReverseErrors*> sets;
  for (const ReverseErrors& errors : reverse.errors)
    if ((errors.role == "torque") == torques) sets.push_back(&errors);
  if (sets.empty()) return "";
  std::vector<std::string> titles = {torques ? "joint" : "entry"};
  for (const ReverseErrors* errors : sets) {
    titles.push_back(errors->label + " ms");
    titles.push_back("max");
    if (torques) titles.push_back("filtered rms");
  }
  Table table(titles);
  table.together(torques ? 3 : 2);
  const ReverseErrors& longest =  // a table may lack what others have
      **std::max_element(sets.begin(), sets.end(), [](const ReverseErrors* a, const ReverseErrors* b) {
        return a->components.size() < b->components.size();
      });
  for (const ReverseComponent& component : longest.components) {
    std::vector<std::string> line = {component.name};
    for (const ReverseErrors* errors : sets) {
      const ReverseComponent* found = nullptr;
      for (const ReverseComponent& other : errors->components)
        if (other.name == component.name) found = &other;
      line.push_back(found != nullptr ? number(found->mean_square, 3) : "-");
      line.push_back(found != nullptr ? number(found->largest, 3) : "-");
      if (torques) line.push_back(filtered_rms(result, errors->label, component.name));
    }
    table.add(line);
  }
  return (torques ? "\nErrors of predicted torques (mean square and maximum of raw samples)\n"
                  : "\nErrors by entry (mean square, largest)\n") +
         table.to_string();
}

std::string payload_text(const steelyard::ReversePayload& payload) {
  std::string text = fmt::format("\nLoad on {}\n", payload.link);
  for (const steelyard::ReverseMass& mass : payload.masses)
    text += fmt::format("  mass {:.4f} kg: change of {} / {:.4g}\n", mass.mass, mass.from, mass.coefficient);
  for (const steelyard::ReverseParameter& parameter : payload.parameters)
    text += fmt::format("  {} = {:.6g}{}\n", parameter.name, parameter.value,
                        parameter.sigma ? fmt::format(" ± {:.2g}", *parameter.sigma) : "");
  return text;
}

}  // namespace

std::string reverse_text(const steelyard::Result& result) {
  const ReverseSummary& reverse = *result.reverse;
  std::string text = fmt::format("{}: {} base parameters from {} configurations of {}\n\n", result.robot_name,
                                 result.base.size(), result.samples, reverse.source);
  text += parts_text(reverse) + coefficients_text(result) + unknown_text(reverse) +
          errors_text(result, false) + errors_text(result, true);
  if (reverse.tilt)
    text +=
        fmt::format("\nBase tilted by {:.4f} ± {:.2g} deg\n", 180 / std::numbers::pi * reverse.tilt->angle,
                    180 / std::numbers::pi * reverse.tilt->sigma);
  if (reverse.kinematics)
    text += fmt::format("\nJacobian ({} axes): directions to {:.2g}, distances to {:.2g} m\n",
                        reverse.kinematics->axes, reverse.kinematics->angular, reverse.kinematics->linear);
  if (reverse.payload) text += payload_text(*reverse.payload);
  if (result.feasible && result.feasible->residual)
    text += fmt::format("\nFeasible parameters ({}): {} of the table unexplained\n", result.feasible->method,
                        number(result.feasible->residual->prepared, 3));
  return text;
}

}  // namespace cli
