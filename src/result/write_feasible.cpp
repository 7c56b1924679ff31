// Feasible parameters: `feasible` and `links`.
#include "result/json_parts.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {
namespace {

void write_names(JsonWriter& json, const char* key, const std::vector<std::string>& names) {
  json.key(key).begin_flat_array();
  for (const std::string& name : names) json.value(name);
  json.end_array();
}

template <typename Vector>
void write_numbers(JsonWriter& json, const char* key, const Vector& numbers) {
  json.key(key).begin_flat_array();
  for (double number : numbers) json.value(number);
  json.end_array();
}

void write_end(JsonWriter& json, const std::optional<double>& end) {
  end ? json.value(*end) : json.null();
}

void write_known(JsonWriter& json, const std::string& name, const KnownInterval& interval) {
  json.key(name).begin_flat_array();
  write_end(json, interval.lower);
  write_end(json, interval.upper);
  json.end_array();
}

void write_wrench(JsonWriter& json, const KnownWrench& wrench) {
  json.key("wrench").begin_object();
  json.key("run").value(wrench.run);
  json.key("time").value(wrench.time);
  write_numbers(json, "value", wrench.value);
  json.key("known").begin_object();
  for (std::size_t k = 0; k < wrench.known.size(); ++k) write_known(json, kWrenchNames[k], wrench.known[k]);
  json.end_object();
  json.end_object();
}

}  // namespace

void write_feasible(JsonWriter& json, const FeasibleSummary& feasible) {
  json.key("feasible").begin_object();
  json.key("method").value(feasible.method);
  if (feasible.residual) write_residual(json, *feasible.residual);
  if (feasible.cross_validation) write_cross_validation(json, *feasible.cross_validation);
  if (feasible.gap) json.key("gap").value(*feasible.gap);
  if (feasible.moved_sigma) json.key("moved_sigma").value(*feasible.moved_sigma);
  json.key("constraints").begin_array();
  for (const ConstraintMargin& constraint : feasible.constraints) {
    json.begin_object();
    json.key("name").value(constraint.name);
    if (constraint.margin) json.key("margin").value(*constraint.margin);
    json.key("active").value(constraint.active);
    json.end_object();
  }
  json.end_array();
  write_names(json, "violated", feasible.violated);
  write_names(json, "conflict", feasible.conflict);
  json.key("drives").begin_array();
  for (const DriveValues& drive : feasible.drives) write_drive(json, drive);
  json.end_array();
  if (!feasible.columns.empty()) {
    json.key("columns").begin_object();
    for (const auto& [name, value] : feasible.columns) json.key(name).value(value);
    json.end_object();
  }
  json.end_object();
}

void write_comparison(JsonWriter& json, const std::vector<ModelErrors>& comparison) {
  json.key("comparison").begin_array();
  for (const ModelErrors& set : comparison) {
    json.begin_object();
    json.key("model").value(set.model);
    json.key("parameters").value(set.parameters);
    write_numbers(json, "mse", set.mse);
    json.key("runs").begin_array();
    for (const RunSquares& run : set.runs) {
      json.begin_object();
      json.key("run").value(run.run);
      write_numbers(json, "mse", run.mse);
      json.end_object();
    }
    json.end_array();
    json.end_object();
  }
  json.end_array();
}

void write_links(JsonWriter& json, const std::vector<LinkValues>& links) {
  json.key("links").begin_array();
  for (const LinkValues& link : links) {
    json.begin_object();
    json.key("name").value(link.name);
    json.key("mass").value(link.mass);
    write_numbers(json, "com", link.com);
    write_numbers(json, "inertia_com", link.inertia_com);
    write_numbers(json, "inertia_origin", link.inertia_origin);
    json.key("margin").value(link.margin);
    write_names(json, "chosen", link.chosen);
    json.key("known").begin_object();
    for (const auto& [name, interval] : link.known) write_known(json, name, interval);
    json.end_object();
    if (link.wrench) write_wrench(json, *link.wrench);
    json.end_object();
  }
  json.end_array();
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
