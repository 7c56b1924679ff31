// Friction that changes with the temperature of its drive: columns (T − 25 °C) q̇ and (T − 25 °C) sign(q̇) beside those of
// the friction. T is the run's channel "temperature"; without one a run has no such model.
//
// With `auto` one pass folds both columns of every joint whose temperature is logged; a term is taken where it lowers the
// errors of held-out groups of blocks of the joint's rows, by more than two standard errors.
#pragma once

#include <string>
#include <vector>

#include "steelyard/fold/layout.hpp"
#include "steelyard/identify/setup.hpp"
#include "steelyard/result/result.hpp"

namespace steelyard::inline STEELYARD_ABI {

inline constexpr double kReferenceTemperature = 25;  // [°C]

// "warm3.viscous" or "warm3.coulomb".
std::string temperature_column(const TemperatureTerm& term);
ExtraColumns temperature_columns(const TemperatureTerm& term);

std::vector<TemperatureTerm> given_temperature(const Setup& setup);
std::vector<TemperatureTerm> temperature_of_model(const Setup& setup, const Result& model);
std::vector<TemperatureTerm> find_temperature(const Setup& setup, const Runs& runs);

// Throws InputError where the terms need a channel that the run does not have.
void require_temperature(const Setup& setup, const StudyRun& run);

}  // namespace steelyard
