// Intervals of a study's estimate in its result.
#pragma once

#include "steelyard/result/result.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

struct StudyState;

// Deviations, intervals, method and status of the base parameters, from state.intervals and state.bias.
void put_intervals(const StudyState& state, Result& result);

}  // namespace STEELYARD_ABI
}  // namespace steelyard
