// The model behind a table of g(q) and M(q): `reverse`.
#include "result/json_parts.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {
namespace {

void put_optional(JsonWriter& json, const char* key, const std::optional<double>& number) {
  if (number) json.key(key).value(*number);
}

void put_vector(JsonWriter& json, const char* key, const Vector3& vector) {
  json.key(key).begin_flat_array();
  for (const double number : vector) json.value(number);
  json.end_array();
}

void write_part(JsonWriter& json, const ReversePart& part) {
  json.begin_object();
  json.key("rows").value(part.rows);
  json.key("unknowns").value(part.unknowns);
  json.key("rank").value(part.rank);
  put_optional(json, "condition", part.condition);
  put_optional(json, "condition_scaled", part.condition_scaled);
  json.key("relative").value(part.relative);
  json.key("coefficients").begin_array();
  for (const ReverseCoefficient& coefficient : part.coefficients) {
    json.begin_object();
    json.key("name").value(coefficient.name);
    json.key("expression").value(coefficient.expression);
    json.key("value").value(coefficient.value);
    put_optional(json, "sigma", coefficient.sigma);
    json.end_object();
  }
  json.end_array();
  json.end_object();
}

void write_errors(JsonWriter& json, const ReverseErrors& errors) {
  json.begin_object();
  json.key("label").value(errors.label);
  json.key("role").value(errors.role);
  json.key("configurations").value(errors.configurations);
  json.key("relative").value(errors.relative);
  json.key("components").begin_array();
  for (const ReverseComponent& component : errors.components) {
    json.begin_object();
    json.key("name").value(component.name);
    json.key("count").value(component.count);
    json.key("mean_square").value(component.mean_square);
    json.key("largest").value(component.largest);
    json.key("scale").value(component.scale);
    json.end_object();
  }
  json.end_array();
  json.end_object();
}

void write_parameters(JsonWriter& json, const char* key, const std::vector<ReverseParameter>& parameters) {
  json.key(key).begin_array();
  for (const ReverseParameter& parameter : parameters) {
    json.begin_object();
    json.key("name").value(parameter.name);
    json.key("value").value(parameter.value);
    put_optional(json, "sigma", parameter.sigma);
    json.end_object();
  }
  json.end_array();
}

void write_payload(JsonWriter& json, const ReversePayload& payload) {
  json.key("payload").begin_object();
  json.key("link").value(payload.link);
  write_parameters(json, "parameters", payload.parameters);
  json.key("masses").begin_array();
  for (const ReverseMass& mass : payload.masses) {
    json.begin_object();
    json.key("from").value(mass.from);
    json.key("coefficient").value(mass.coefficient);
    json.key("mass").value(mass.mass);
    put_optional(json, "sigma", mass.sigma);
    json.end_object();
  }
  json.end_array();
  json.key("unexplained").value(payload.unexplained);
  json.end_object();
}

}  // namespace

void write_reverse(JsonWriter& json, const ReverseSummary& reverse) {
  json.key("reverse").begin_object();
  json.key("source").value(reverse.source);
  json.key("parts").begin_array();
  for (const ReversePart& part : reverse.parts) write_part(json, part);
  json.end_array();
  json.key("errors").begin_array();
  for (const ReverseErrors& errors : reverse.errors) write_errors(json, errors);
  json.end_array();
  if (reverse.tilt) {
    json.key("tilt").begin_object();
    json.key("angle").value(reverse.tilt->angle);
    json.key("sigma").value(reverse.tilt->sigma);
    put_vector(json, "rotation", reverse.tilt->rotation);
    put_vector(json, "gravity", reverse.tilt->gravity);
    json.end_object();
  }
  if (reverse.kinematics) {
    json.key("kinematics").begin_object();
    json.key("axes").value(reverse.kinematics->axes);
    put_vector(json, "offset", reverse.kinematics->offset);
    json.key("angular").value(reverse.kinematics->angular);
    json.key("linear").value(reverse.kinematics->linear);
    json.end_object();
  }
  if (reverse.gravity_scale) {
    json.key("gravity_scale").begin_object();
    json.key("scale").value(reverse.gravity_scale->scale);
    json.key("apart").value(reverse.gravity_scale->apart);
    json.key("together").value(reverse.gravity_scale->together);
    json.end_object();
  }
  put_optional(json, "skew_symmetry", reverse.skew_symmetry);
  if (reverse.payload) write_payload(json, *reverse.payload);
  if (reverse.design) {
    json.key("design").begin_object();
    json.key("least").value(reverse.design->least);
    put_optional(json, "efficiency", reverse.design->efficiency);
    put_optional(json, "mean_variance", reverse.design->mean_variance);
    json.end_object();
  }
  if (reverse.reference) {
    json.key("reference").begin_object();
    json.key("label").value(reverse.reference->label);
    write_parameters(json, "values", reverse.reference->values);
    json.end_object();
  }
  json.key("unknown").begin_flat_array();
  for (const std::string& name : reverse.unknown) json.value(name);
  json.end_array();
  json.end_object();
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
