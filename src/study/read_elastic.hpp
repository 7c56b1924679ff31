// The elastic sections of a study's file.
#pragma once

#include "steelyard/core/yaml_fields.hpp"
#include "steelyard/study/elastic_spec.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

ElasticSpec read_elastic_section(const YamlContext& context, const YamlNode& node);
ElasticSimulationSpec read_elastic_simulation(const YamlContext& context, const YamlNode& node);

}  // namespace STEELYARD_ABI
}  // namespace steelyard
