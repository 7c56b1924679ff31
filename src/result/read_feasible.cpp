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
  return feasible;
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
  return link;
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
