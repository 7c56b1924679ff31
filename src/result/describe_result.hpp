// The one description of every struct of a result (core/describe.hpp): keys in the order of result.json with unit,
// limits and meaning. The writer, the reader and docs/result.schema.json are made from it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "steelyard/core/describe.hpp"
#include "steelyard/result/result.hpp"

namespace steelyard::inline STEELYARD_ABI {

void describe(Fields& fields, Result& result);

void describe(Fields& fields, RobotProbe& probe);
void describe(Fields& fields, ResidualSummary& residual);
void describe(Fields& fields, CrossValidationSummary& cross);
void describe(Fields& fields, DriveValues& drive);
void describe(Fields& fields, FeasibleSummary& feasible);
void describe(Fields& fields, LinkValues& link);
void describe(Fields& fields, EstimatorSummary& estimator);
void describe(Fields& fields, ElasticSummary& elastic);
void describe(Fields& fields, GainsSummary& gains);
void describe(Fields& fields, PayloadSummary& payload);
void describe(Fields& fields, ReverseSummary& reverse);
void describe(Fields& fields, SignsSummary& signs);
void describe(Fields& fields, ExportSummary& item);
void describe(Fields& fields, EngineCheck& check);
void describe(Fields& fields, ModelErrors& errors);

void describe_count(Fields& fields, const Key& key, int& value);
void describe_count(Fields& fields, const Key& key, std::optional<int>& value);
void describe_count(Fields& fields, const Key& key, std::int64_t& value);
void describe_pair(Fields& fields, const Key& key, std::optional<std::pair<double, double>>& value);
void describe_ends(Fields& fields, const Key& key, std::optional<double>& lower,
                   std::optional<double>& upper);  // an open end is null
void describe_by_name(Fields& fields, const Key& key, std::map<std::string, double>& values);
void describe_sentences(Fields& fields, const Key& key, std::vector<std::string>& values);  // one a line

template <typename T>
void describe_section(Fields& fields, const Key& key, T& value) {
  fields.section(key, [&](Fields& inner) { describe(inner, value); });
}

template <typename Vector>
void describe_vector(Fields& fields, const Key& key, Vector& value) {
  std::vector<double> list(value.begin(), value.end());
  fields.numbers(key, list, any_number(), list.size());
  if (!fields.reads()) return;
  for (Index k = 0; k < value.size(); ++k) value[k] = list[static_cast<std::size_t>(k)];
}

// By name, each a map of its own or a value.
template <typename T, typename Describe>
void describe_map(Fields& fields, const Key& key, std::map<std::string, T>& values, const Describe& one) {
  std::vector<std::string> names;
  for (const auto& member : values) names.push_back(member.first);
  fields.map(key, names, {}, [&](Fields& item, std::size_t k) {
    T fresh;
    one(item, k < names.size() ? values[names[k]] : fresh);
  });
}

}  // namespace steelyard
