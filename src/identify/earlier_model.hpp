// Earlier base parameters: from a result.json, or written by hand in YAML
//
//   base: {Jzz1: 1.86, mx2: {value: 2.1, sigma: 0.02}}
//
// by the names of their lead columns (`steelyard model` lists them).
#pragma once

#include <string>
#include <vector>

#include "identify/estimators.hpp"
#include "identify/feasible.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/regressor/base.hpp"
#include "steelyard/result/result.hpp"

namespace steelyard::inline STEELYARD_ABI {

// A result, or one with `base` only: names, values and standard deviations without terms. Throws InputError.
Result read_base_values(const std::string& path);

// The model's value of every base parameter; null where it has none. Throws InputError for names written by
// hand that are not base parameters, and for values of other terms.
std::vector<const BaseValue*> match_base_values(const Result& model, const BaseParameters& base,
                                                const Place& place);

// The base values of an earlier model as an estimate. Every base parameter must be present, with the same
// terms where the model has them: another robot's would be misread.
Estimate base_values_of(const Result& model, const Setup& setup);

// A study with robot, friction, gains, offsets and cut-off as a model has them.
Setup setup_of(const Result& model, const Job& job);

// The model as if it had just been fitted: base values, offsets of single runs, and the columns that the
// study's runs have beside the plan's. Throws InputError for what the model lacks.
Fit fit_of(const Result& model, const Setup& setup);

// Its links and drives; none for results without them.
std::optional<FeasibleModel> links_of(const Result& model, const Setup& setup, const Estimate& estimate);

}  // namespace steelyard
