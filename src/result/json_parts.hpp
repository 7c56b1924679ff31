// Parts of a result that several of its sections are made of, one pair of functions each.
#pragma once

#include "steelyard/core/json_writer.hpp"
#include "steelyard/result/result.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

class JsonNode;

void write_residual(JsonWriter& json, const ResidualSummary& residual);  // with its key
ResidualSummary read_residual(const JsonNode& node);

void write_cross_validation(JsonWriter& json, const CrossValidationSummary& cross);  // with its key
CrossValidationSummary read_cross_validation(const JsonNode& node);

void write_drive(JsonWriter& json, const DriveValues& drive);
DriveValues read_drive(const JsonNode& node);

void write_feasible(JsonWriter& json, const FeasibleSummary& feasible);  // with its key
FeasibleSummary read_feasible(const JsonNode& node);

void write_estimator(JsonWriter& json, const EstimatorSummary& estimator);  // with its key
EstimatorSummary read_estimator(const JsonNode& node);

void write_elastic(JsonWriter& json, const ElasticSummary& elastic);  // with its key
ElasticSummary read_elastic(const JsonNode& node);
void write_gains(JsonWriter& json, const GainsSummary& gains);  // with its key
GainsSummary read_gains(const JsonNode& node);
void write_payloads(JsonWriter& json, const std::vector<PayloadSummary>& payloads);  // with its key
PayloadSummary read_payload(const JsonNode& node);

void write_reverse(JsonWriter& json, const ReverseSummary& reverse);  // with its key
ReverseSummary read_reverse(const JsonNode& node);
void write_signs(JsonWriter& json, const SignsSummary& signs);  // with its key
SignsSummary read_signs(const JsonNode& node);

void write_exports(JsonWriter& json, const std::vector<ExportSummary>& exports);  // with its key
ExportSummary read_export(const JsonNode& node);
void write_engines(JsonWriter& json, const std::vector<EngineCheck>& engines);  // with its key
EngineCheck read_engine(const JsonNode& node);

void write_links(JsonWriter& json, const std::vector<LinkValues>& links);  // with its key
LinkValues read_link(const JsonNode& node);
inline constexpr const char* kWrenchNames[] = {"fx", "fy", "fz", "mx", "my", "mz"};

void write_comparison(JsonWriter& json, const std::vector<ModelErrors>& comparison);  // with its key
ModelErrors read_comparison(const JsonNode& node);

}  // namespace STEELYARD_ABI
}  // namespace steelyard
