// What the estimator did: `estimator`.
#include "result/json_parts.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {
namespace {

void write_instruments(JsonWriter& json, const InstrumentSummary& instruments) {
  json.key("instruments").begin_object();
  json.key("cutoff").value(instruments.cutoff);
  json.key("simulated").value(instruments.simulated);
  json.key("correlation").value(instruments.correlation);
  if (instruments.first_stage) json.key("first_stage").value(*instruments.first_stage);
  json.key("weak").value(instruments.weak);
  json.key("hausman").value(instruments.hausman);
  json.key("hausman_degrees").value(instruments.hausman_degrees);
  json.key("least_squares_biased").value(instruments.least_squares_biased);
  json.end_object();
}

void write_rows(JsonWriter& json, const std::vector<JointRows>& rows) {
  json.key("rows").begin_array();
  for (const JointRows& joint : rows) {
    json.begin_object();
    json.key("name").value(joint.name);
    json.key("sigma").value(joint.sigma);
    json.key("reduced_share").value(joint.reduced_share);
    json.key("far_share").value(joint.far_share);
    json.end_object();
  }
  json.end_array();
}

void write_essential(JsonWriter& json, const EssentialSummary& essential) {
  json.key("essential").begin_object();
  json.key("limit").value(essential.limit);
  if (essential.ratio) json.key("ratio").value(*essential.ratio);
  json.key("count").value(essential.count);
  json.key("eliminated").begin_flat_array();
  for (const std::string& name : essential.eliminated) json.value(name);
  json.end_array();
  json.key("residual").value(essential.residual);
  json.key("residual_full").value(essential.residual_full);
  json.end_object();
}

}  // namespace

void write_estimator(JsonWriter& json, const EstimatorSummary& estimator) {
  json.key("estimator").begin_object();
  json.key("method").value(estimator.method);
  json.key("iterations").value(estimator.iterations);
  json.key("converged").value(estimator.converged);
  if (estimator.instruments) write_instruments(json, *estimator.instruments);
  if (!estimator.rows.empty()) write_rows(json, estimator.rows);
  if (estimator.essential) write_essential(json, *estimator.essential);
  json.end_object();
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
