// The model behind a table of g(q) and M(q): `reverse`.
#include "result/json_node.hpp"
#include "result/json_parts.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {
namespace {

Vector3 read_vector(const JsonNode& node, const char* key) {
  const std::vector<double> numbers = node.list(key, [](const JsonNode& item) { return item.number(); });
  if (numbers.size() != 3) node.at(key).refuse(fmt::format("has {} numbers instead of 3", numbers.size()));
  return {numbers[0], numbers[1], numbers[2]};
}

ReversePart read_part(const JsonNode& node) {
  ReversePart part;
  part.rows = node.at("rows").text();
  part.unknowns = node.at("unknowns").integer<std::int64_t>();
  part.rank = node.at("rank").integer<std::int64_t>();
  part.condition = node.optional_number("condition");
  part.condition_scaled = node.optional_number("condition_scaled");
  part.relative = node.at("relative").number();
  part.coefficients = node.list("coefficients", [](const JsonNode& item) {
    return ReverseCoefficient{item.at("name").text(), item.at("expression").text(), item.at("value").number(),
                              item.optional_number("sigma")};
  });
  return part;
}

ReverseErrors read_errors(const JsonNode& node) {
  ReverseErrors errors;
  errors.label = node.at("label").text();
  errors.role = node.at("role").text();
  errors.configurations = node.at("configurations").integer<std::int64_t>();
  errors.relative = node.at("relative").number();
  errors.components = node.list("components", [](const JsonNode& item) {
    return ReverseComponent{item.at("name").text(), item.at("count").integer<std::int64_t>(),
                            item.at("mean_square").number(), item.at("largest").number(),
                            item.at("scale").number()};
  });
  return errors;
}

ReverseParameter read_parameter(const JsonNode& item) {
  return {item.at("name").text(), item.at("value").number(), item.optional_number("sigma")};
}

ReversePayload read_reverse_payload(const JsonNode& node) {
  ReversePayload payload;
  payload.link = node.at("link").text();
  payload.parameters = node.list("parameters", read_parameter);
  payload.masses = node.list("masses", [](const JsonNode& item) {
    return ReverseMass{item.at("from").text(), item.at("coefficient").number(), item.at("mass").number(),
                       item.optional_number("sigma")};
  });
  payload.unexplained = node.at("unexplained").number();
  return payload;
}

}  // namespace

ReverseSummary read_reverse(const JsonNode& node) {
  ReverseSummary reverse;
  reverse.source = node.at("source").text();
  reverse.parts = node.list("parts", read_part);
  reverse.errors = node.list("errors", read_errors);
  if (node.has("tilt")) {
    const JsonNode tilt = node.at("tilt");
    reverse.tilt = ReverseTilt{tilt.at("angle").number(), tilt.at("sigma").number(),
                               read_vector(tilt, "rotation"), read_vector(tilt, "gravity")};
  }
  if (node.has("kinematics")) {
    const JsonNode check = node.at("kinematics");
    reverse.kinematics = ReverseKinematics{check.at("axes").text(), read_vector(check, "offset"),
                                           check.at("angular").number(), check.at("linear").number()};
  }
  if (node.has("gravity_scale")) {
    const JsonNode scale = node.at("gravity_scale");
    reverse.gravity_scale = ReverseGravityScale{scale.at("scale").number(), scale.at("apart").number(),
                                                scale.at("together").number()};
  }
  reverse.skew_symmetry = node.optional_number("skew_symmetry");
  if (node.has("payload")) reverse.payload = read_reverse_payload(node.at("payload"));
  if (node.has("design")) {
    const JsonNode design = node.at("design");
    reverse.design =
        ReverseDesign{design.at("least").integer<std::int64_t>(), design.optional_number("efficiency"),
                      design.optional_number("mean_variance")};
  }
  if (node.has("reference")) {
    const JsonNode reference = node.at("reference");
    reverse.reference =
        ReverseReference{reference.at("label").text(), reference.list("values", read_parameter)};
  }
  reverse.unknown = node.texts("unknown");
  return reverse;
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
