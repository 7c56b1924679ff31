// Findings about identified gains: not identifiable, biased, a current that is not explained, gains that changed between runs.
#pragma once

#include "identify/gains.hpp"
#include "steelyard/gains/fit.hpp"

namespace steelyard::inline STEELYARD_ABI {

void report_problems(const GainProblem& problem, const GainFit& fit, DriveGains& gains);
void report_drift(const GainProblem& problem, const GainOptions& options, DriveGains& gains);

}  // namespace steelyard
