// Reading of `gains`, `payloads` and of what simulated runs need for them.
#pragma once

#include "steelyard/study/study_yaml.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

GainSpec read_gains_section(const YamlContext& context, const YamlNode& node);
std::vector<Load> read_payloads_section(const YamlContext& context, const YamlNode& node);

// Keys `parameters`, `gain`, `effort` and `load` of a simulation.
const std::vector<std::string>& simulated_drive_keys();
void read_simulated_drives(const YamlContext& context, const YamlFields& fields, SimulationSpec& spec);

// Runs with currents need gains, runs with loads need payloads.
void check_gain_keys(const YamlContext& context, const YamlNode& runs, const Study& study);

}  // namespace STEELYARD_ABI
}  // namespace steelyard
