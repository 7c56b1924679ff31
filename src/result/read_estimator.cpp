// What the estimator did: `estimator`.
#include "result/json_node.hpp"
#include "result/json_parts.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {
namespace {

InstrumentSummary read_instruments(const JsonNode& node) {
  InstrumentSummary out;
  out.cutoff = node.at("cutoff").number();
  out.simulated = node.at("simulated").truth();
  out.correlation = node.at("correlation").number();
  out.first_stage = node.optional_number("first_stage");
  out.weak = node.at("weak").truth();
  out.hausman = node.at("hausman").number();
  out.hausman_degrees = node.at("hausman_degrees").integer<std::int64_t>();
  out.least_squares_biased = node.at("least_squares_biased").truth();
  return out;
}

JointRows read_rows(const JsonNode& node) {
  return {node.at("name").text(), node.at("sigma").number(), node.at("reduced_share").number(),
          node.at("far_share").number()};
}

EssentialSummary read_essential(const JsonNode& node) {
  EssentialSummary out;
  out.limit = node.at("limit").number();
  out.ratio = node.optional_number("ratio");
  out.count = node.at("count").integer<std::int64_t>();
  out.eliminated = node.texts("eliminated");
  out.residual = node.at("residual").number();
  out.residual_full = node.at("residual_full").number();
  return out;
}

}  // namespace

EstimatorSummary read_estimator(const JsonNode& node) {
  EstimatorSummary out;
  out.method = node.at("method").text();
  out.iterations = node.at("iterations").integer<std::int64_t>();
  out.converged = node.at("converged").truth();
  if (node.has("instruments")) out.instruments = read_instruments(node.at("instruments"));
  if (node.has("rows")) out.rows = node.list("rows", read_rows);
  if (node.has("essential")) out.essential = read_essential(node.at("essential"));
  return out;
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
