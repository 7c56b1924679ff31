// Runs folded in four parts, every fourth of sixteen sections each, so that a fit can hold one out.
#pragma once

#include <cstdint>
#include <vector>

#include "steelyard/estimate/estimate.hpp"
#include "steelyard/log/chunks.hpp"
#include "steelyard/log/run.hpp"
#include "steelyard/signs/rows.hpp"

namespace steelyard::inline STEELYARD_ABI {

inline constexpr Index kEffortParts = 4;
inline constexpr Index kEffortStretches = 16;

// By part: folds of all runs and joints.
using EffortParts = std::vector<std::vector<Fold>>;

// Section b belongs to part b % kEffortParts.
inline Range effort_stretch(Index samples, Index b) {
  return {b * samples / kEffortStretches, (b + 1) * samples / kEffortStretches};
}

// Adds the rows of a run; mask: samples × joints, column by column, 0 is no row.
void add_effort_parts(const SignRows& rows, const std::vector<Layout>& layouts, const MatrixXd& effort,
                      const std::vector<std::uint8_t>& mask, EffortParts& parts);

// The fit of all parts but one (−1: of all), joints weighted by their residuals.
Estimate fit_effort_parts(const EffortParts& parts, Index left_out);

}  // namespace steelyard
