#include "reverse_text.hpp"

#include <fmt/format.h>

#include <numbers>

#include "output.hpp"

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

// Sets beside each other: mean square and largest error of every component.
std::string errors_text(const ReverseSummary& reverse, bool torques) {
  std::vector<const ReverseErrors*> sets;
  for (const ReverseErrors& errors : reverse.errors)
    if ((errors.role == "torque") == torques) sets.push_back(&errors);
  if (sets.empty()) return "";
  std::vector<std::string> titles = {torques ? "joint" : "entry"};
  for (const ReverseErrors* errors : sets) {
    titles.push_back(errors->label + " ms");
    titles.push_back("max");
  }
  Table table(titles);
  for (const ReverseComponent& component : sets.front()->components) {
    std::vector<std::string> line = {component.name};
    for (const ReverseErrors* errors : sets) {
      const ReverseComponent* found = nullptr;
      for (const ReverseComponent& other : errors->components)
        if (other.name == component.name) found = &other;
      line.push_back(found != nullptr ? number(found->mean_square, 3) : "-");
      line.push_back(found != nullptr ? number(found->largest, 3) : "-");
    }
    table.add(line);
  }
  return (torques ? "\nErrors of predicted torques (mean square, largest)\n"
                  : "\nErrors by entry (mean square, largest)\n") +
         table.to_string();
}

std::string payload_text(const steelyard::ReversePayload& payload) {
  std::string text = fmt::format("\nLoad on {}\n", payload.link);
  for (const steelyard::ReverseMass& mass : payload.masses)
    text += fmt::format("  {:.4f} kg from {} / {:.4g}\n", mass.mass, mass.from, mass.coefficient);
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
  text += parts_text(reverse) + errors_text(reverse, false) + errors_text(reverse, true);
  if (reverse.tilt)
    text +=
        fmt::format("\nBase turned by {:.4f} ± {:.2g} deg\n", 180 / std::numbers::pi * reverse.tilt->angle,
                    180 / std::numbers::pi * reverse.tilt->sigma);
  if (reverse.kinematics)
    text += fmt::format("\nJacobian ({} axes): directions to {:.2g}, distances to {:.2g} m\n",
                        reverse.kinematics->axes, reverse.kinematics->angular, reverse.kinematics->linear);
  if (reverse.payload) text += payload_text(*reverse.payload);
  if (result.feasible && result.feasible->residual)
    text += fmt::format("\nFeasible parameters ({}): {} of the table not explained\n",
                        result.feasible->method, number(result.feasible->residual->prepared, 3));
  return text;
}

}  // namespace cli
