// Base parameters that were found before: in a result.json, or written by hand in YAML
//
//   base: {Jzz1: 1.86, mx2: {value: 2.1, sigma: 0.02}}
//
// by the names of their lead columns (`steelyard model` lists them).
#pragma once

#include <string>
#include <vector>

#include "steelyard/core/error.hpp"
#include "steelyard/regressor/base.hpp"
#include "steelyard/result/result.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

struct StudyState;

// A result, or one with `base` only: names, values and deviations without terms. Throws InputError.
Result read_base_values(const std::string& path);

// The model's value of every base parameter; null where it has none. Throws InputError for names written by
// hand that are no base parameters, and for values that stand for other terms.
std::vector<const BaseValue*> match_base_values(const Result& model, const BaseParameters& base,
                                                const Place& place);

// The model's base values as if they had just been estimated. Base parameters of another robot would be read
// as something else, so that every one must be there, with the same terms where the model tells them.
void take_base_values(const Result& model, StudyState& state);

}  // namespace STEELYARD_ABI
}  // namespace steelyard
