// `gains` and `payloads`: writing and reading.
#include "result/json_node.hpp"
#include "result/json_parts.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {
namespace {

constexpr const char* kMethods[] = {"given", "ls", "wls", "tls", "prediction_error", "feasible"};

void write_number(JsonWriter& json, const char* key, const std::optional<double>& number) {
  if (number) json.key(key).value(*number);
}

void write_uncertain(JsonWriter& json, const UncertainValue& value) {
  json.key("value").value(value.value);
  write_number(json, "sigma", value.sigma);
  write_number(json, "sigma_classical", value.sigma_classical);
  if (!value.interval) return;
  json.key("interval").begin_flat_array();
  json.value(value.interval->first);
  json.value(value.interval->second);
  json.end_array();
}

UncertainValue read_uncertain(const JsonNode& node) {
  UncertainValue value;
  value.value = node.at("value").number();
  value.sigma = node.optional_number("sigma");
  value.sigma_classical = node.optional_number("sigma_classical");
  if (node.has("interval")) {
    const std::vector<double> ends = node.list("interval", [](const JsonNode& end) { return end.number(); });
    if (ends.size() != 2) node.at("interval").refuse("has not two ends");
    value.interval = {ends[0], ends[1]};
  }
  return value;
}

void write_method(JsonWriter& json, const GainMethodSummary& method) {
  json.key(method.method).begin_object();
  json.key("converged").value(method.converged);
  write_number(json, "residual", method.residual);
  write_number(json, "held_out", method.held_out);
  write_number(json, "gap", method.gap);
  if (method.essential) json.key("essential").value(*method.essential);
  json.key("joints").begin_array();
  for (const GainValue& joint : method.joints) {
    json.begin_object();
    json.key("name").value(joint.joint);
    if (joint.gain) write_uncertain(json, *joint.gain);
    json.key("status").value(joint.status);
    json.end_object();
  }
  json.end_array();
  json.end_object();
}

GainMethodSummary read_method(const JsonNode& node, const char* name) {
  GainMethodSummary method;
  method.method = name;
  method.converged = node.at("converged").truth();
  method.residual = node.optional_number("residual");
  method.held_out = node.optional_number("held_out");
  method.gap = node.optional_number("gap");
  if (node.has("essential")) method.essential = node.at("essential").integer<int>();
  method.joints = node.list("joints", [](const JsonNode& item) {
    GainValue joint;
    joint.joint = item.at("name").text();
    joint.status = item.at("status").text();
    if (item.has("value")) joint.gain = read_uncertain(item);
    return joint;
  });
  return method;
}

template <typename Vector>
void write_vector(JsonWriter& json, const char* key, const Vector& vector) {
  json.key(key).begin_flat_array();
  for (const double number : vector) json.value(number);
  json.end_array();
}

template <typename Vector>
void read_vector(const JsonNode& node, const char* key, Vector& vector) {
  const std::vector<double> numbers = node.list(key, [](const JsonNode& item) { return item.number(); });
  if (static_cast<Index>(numbers.size()) != vector.size()) node.at(key).refuse("has another length");
  for (Index k = 0; k < vector.size(); ++k) vector[k] = numbers[static_cast<std::size_t>(k)];
}

}  // namespace

void write_gains(JsonWriter& json, const GainsSummary& gains) {
  json.key("gains").begin_object();
  json.key("used").value(gains.used);
  if (gains.columns > 0) json.key("columns").value(gains.columns);
  for (const GainMethodSummary& method : gains.methods) write_method(json, method);
  json.key("drift").begin_array();
  for (const DriftSummary& drift : gains.drift) {
    json.begin_object();
    json.key("run").value(drift.run);
    json.key("joint").value(drift.joint);
    json.key("change").value(drift.change);
    json.key("sigma").value(drift.sigma);
    json.end_object();
  }
  json.end_array();
  json.end_object();
}

GainsSummary read_gains(const JsonNode& node) {
  GainsSummary gains;
  gains.used = node.at("used").text();
  if (node.has("columns")) gains.columns = node.at("columns").integer<int>();
  for (const char* name : kMethods)
    if (node.has(name)) gains.methods.push_back(read_method(node.at(name), name));
  gains.drift = node.list("drift", [](const JsonNode& item) {
    return DriftSummary{item.at("run").text(), item.at("joint").text(), item.at("change").number(),
                        item.at("sigma").number()};
  });
  return gains;
}

void write_payloads(JsonWriter& json, const std::vector<PayloadSummary>& payloads) {
  json.key("payloads").begin_array();
  for (const PayloadSummary& load : payloads) {
    json.begin_object();
    json.key("name").value(load.name);
    json.key("run").value(load.run);
    write_number(json, "known_mass", load.known_mass);
    json.key("mass_sigma_noise").value(load.mass_sigma_noise);
    json.key("mass_sigma_gains").value(load.mass_sigma_gains);
    json.key("gains_dominate").value(load.gains_dominate);
    json.key("parameters").begin_object();
    for (const auto& [name, value] : load.parameters) {
      json.key(name).begin_object();
      write_uncertain(json, value);
      json.end_object();
    }
    json.end_object();
    if (load.mass) {
      json.key("mass").value(*load.mass);
      write_vector(json, "com", load.com);
      write_vector(json, "inertia_com", load.inertia_com);
      write_vector(json, "inertia_origin", load.inertia_origin);
    }
    json.end_object();
  }
  json.end_array();
}

PayloadSummary read_payload(const JsonNode& node) {
  PayloadSummary load;
  load.name = node.at("name").text();
  load.run = node.at("run").text();
  load.known_mass = node.optional_number("known_mass");
  load.mass_sigma_noise = node.at("mass_sigma_noise").number();
  load.mass_sigma_gains = node.at("mass_sigma_gains").number();
  load.gains_dominate = node.at("gains_dominate").truth();
  const JsonNode parameters = node.at("parameters");
  for (const auto& item : parameters.json().items())
    load.parameters[item.key()] = read_uncertain(parameters.at(item.key()));
  load.mass = node.optional_number("mass");
  if (!load.mass) return load;
  read_vector(node, "com", load.com);
  read_vector(node, "inertia_com", load.inertia_com);
  read_vector(node, "inertia_origin", load.inertia_origin);
  return load;
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
