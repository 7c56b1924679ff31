// `elastic`, both ways.
#include <cmath>

#include "result/json_node.hpp"
#include "result/json_parts.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {
namespace {

// An end that is not known is null.
void write_elastic_ends(JsonWriter& json, const std::string& key, const std::optional<double>& lower,
                        const std::optional<double>& upper) {
  json.key(key).begin_flat_array();
  for (const auto& end : {lower, upper}) {
    if (end && std::isfinite(*end))
      json.value(*end);
    else
      json.null();
  }
  json.end_array();
}

void write_elastic_value(JsonWriter& json, const std::string& key, const std::optional<ElasticValue>& value) {
  if (!value) return;
  json.key(key).value(value->value);
  write_elastic_ends(json, key + "_interval", value->lower, value->upper);
}

void write_elastic_joint(JsonWriter& json, const ElasticJoint& joint) {
  json.begin_object();
  json.key("name").value(joint.name);
  json.key("elastic").value(joint.is_elastic);
  json.key("identifiable").value(joint.identifiable);
  if (!joint.reason.empty()) json.key("reason").value(joint.reason);
  write_elastic_value(json, "K", joint.stiffness);
  if (joint.least_squares) json.key("K_least_squares").value(*joint.least_squares);
  if (joint.motor_bracket)
    write_elastic_ends(json, "K_motor_equation", joint.motor_bracket->first, joint.motor_bracket->second);
  write_elastic_value(json, "B", joint.motor_inertia);
  write_elastic_value(json, "kappa", joint.kappa);
  for (const auto& [name, value] : joint.friction) json.key(name).value(value);
  if (joint.encoder_delay) json.key("encoder_delay").value(*joint.encoder_delay);
  json.key("deflection").value(joint.deflection);
  json.key("snr").value(joint.snr);
  json.end_object();
}

std::pair<std::optional<double>, std::optional<double>> read_elastic_ends(const JsonNode& node,
                                                                          const std::string& key) {
  const auto ends = node.list(key.c_str(), [](const JsonNode& end) {
    return end.json().is_null() ? std::optional<double>() : std::optional<double>(end.number());
  });
  if (ends.size() != 2) node.at(key).refuse(fmt::format("has {} ends instead of two", ends.size()));
  return {ends[0], ends[1]};
}

std::optional<ElasticValue> read_elastic_value(const JsonNode& node, const std::string& key) {
  if (!node.has(key.c_str())) return std::nullopt;
  const auto [lower, upper] = read_elastic_ends(node, key + "_interval");
  return ElasticValue{node.at(key).number(), lower, upper};
}

ElasticJoint read_elastic_joint(const JsonNode& node) {
  ElasticJoint joint;
  joint.name = node.at("name").text();
  joint.is_elastic = node.at("elastic").truth();
  joint.identifiable = node.at("identifiable").truth();
  if (node.has("reason")) joint.reason = node.at("reason").text();
  joint.stiffness = read_elastic_value(node, "K");
  joint.least_squares = node.optional_number("K_least_squares");
  if (node.has("K_motor_equation")) {
    const auto [lower, upper] = read_elastic_ends(node, "K_motor_equation");
    constexpr double kOpen = std::numeric_limits<double>::infinity();
    joint.motor_bracket = {lower.value_or(-kOpen), upper.value_or(kOpen)};
  }
  joint.motor_inertia = read_elastic_value(node, "B");
  joint.kappa = read_elastic_value(node, "kappa");
  for (const char* name : {"fv", "fc", "fo"})
    if (const auto value = node.optional_number(name)) joint.friction[name] = *value;
  joint.encoder_delay = node.optional_number("encoder_delay");
  joint.deflection = node.at("deflection").number();
  joint.snr = node.at("snr").number();
  return joint;
}

}  // namespace

void write_elastic(JsonWriter& json, const ElasticSummary& elastic) {
  json.key("elastic").begin_object();
  json.key("equations").value(elastic.equations);
  json.key("converged").value(elastic.converged);
  json.key("iterations").value(elastic.iterations);
  json.key("joints").begin_array();
  for (const ElasticJoint& joint : elastic.joints) write_elastic_joint(json, joint);
  json.end_array();
  json.key("links").begin_array();
  for (const ElasticLinkValue& link : elastic.links) {
    json.begin_object();
    json.key("name").value(link.name);
    write_elastic_value(json, "value", link.value);
    json.end_object();
  }
  json.end_array();
  json.end_object();
}

ElasticSummary read_elastic(const JsonNode& node) {
  ElasticSummary elastic;
  elastic.equations = node.at("equations").text();
  elastic.converged = node.at("converged").truth();
  elastic.iterations = node.at("iterations").integer<int>();
  elastic.joints = node.list("joints", read_elastic_joint);
  elastic.links = node.list("links", [](const JsonNode& item) {
    ElasticLinkValue link;
    link.name = item.at("name").text();
    link.value = read_elastic_value(item, "value").value_or(ElasticValue{});
    return link;
  });
  return elastic;
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
