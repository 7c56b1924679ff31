// Feasible parameters: `feasible` and `links`.
#include "result/json_node.hpp"
#include "result/json_parts.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {
namespace {

template <typename Vector>
Vector read_numbers(const JsonNode& node, const char* key) {
  const std::vector<double> numbers = node.list(key, [](const JsonNode& item) { return item.number(); });
  Vector vector;
  if (static_cast<Index>(numbers.size()) != vector.size())
    node.at(key).refuse(fmt::format("has {} numbers instead of {}", numbers.size(), vector.size()));
  for (Index k = 0; k < vector.size(); ++k) vector[k] = numbers[static_cast<std::size_t>(k)];
  return vector;
}

KnownInterval read_known(const JsonNode& node, const std::string& name) {
  const auto ends = node.list(name.c_str(), [](const JsonNode& end) {
    return end.json().is_null() ? std::optional<double>() : std::optional<double>(end.number());
  });
  if (ends.size() != 2) node.at(name).refuse(fmt::format("has {} ends instead of two", ends.size()));
  return {ends[0], ends[1]};
}

KnownWrench read_wrench(const JsonNode& node) {
  KnownWrench wrench;
  wrench.run = node.at("run").text();
  wrench.time = node.at("time").number();
  wrench.value = read_numbers<Vector6>(node, "value");
  const JsonNode known = node.at("known");
  for (std::size_t k = 0; k < wrench.known.size(); ++k) wrench.known[k] = read_known(known, kWrenchNames[k]);
  return wrench;
}

}  // namespace

FeasibleSummary read_feasible(const JsonNode& node) {
  FeasibleSummary feasible;
  feasible.method = node.at("method").text();
  if (node.has("residual")) feasible.residual = read_residual(node.at("residual"));
  if (node.has("cross_validation"))
    feasible.cross_validation = read_cross_validation(node.at("cross_validation"));
  feasible.gap = node.optional_number("gap");
  feasible.moved_sigma = node.optional_number("moved_sigma");
  feasible.constraints = node.list("constraints", [](const JsonNode& item) {
    return ConstraintMargin{item.at("name").text(), item.optional_number("margin"),
                            item.at("active").truth()};
  });
  feasible.violated = node.texts("violated");
  feasible.conflict = node.texts("conflict");
  feasible.drives = node.list("drives", read_drive);
  if (node.has("columns")) {
    const JsonNode columns = node.at("columns");
    for (const auto& member : columns.object().items())
      feasible.columns[member.key()] = columns.at(member.key()).number();
  }
  return feasible;
}

ModelErrors read_comparison(const JsonNode& node) {
  const auto number = [](const JsonNode& item) { return item.number(); };
  ModelErrors set;
  set.model = node.at("model").text();
  set.parameters = node.at("parameters").text();
  set.mse = node.list("mse", number);
  set.runs = node.list("runs", [&](const JsonNode& run) {
    return RunSquares{run.at("run").text(), run.list("mse", number)};
  });
  return set;
}

LinkValues read_link(const JsonNode& node) {
  LinkValues link;
  link.name = node.at("name").text();
  link.mass = node.at("mass").number();
  link.com = read_numbers<Vector3>(node, "com");
  link.inertia_com = read_numbers<Vector6>(node, "inertia_com");
  link.inertia_origin = read_numbers<Vector6>(node, "inertia_origin");
  link.margin = node.at("margin").number();
  link.chosen = node.texts("chosen");
  const JsonNode known = node.at("known");
  for (const auto& member : known.object().items())
    link.known[member.key()] = read_known(known, member.key());
  if (node.has("wrench")) link.wrench = read_wrench(node.at("wrench"));
  return link;
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
