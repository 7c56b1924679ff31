// Sums of squares to residuals.
#pragma once

#include <vector>

#include "steelyard/estimate/estimate.hpp"

namespace steelyard::inline STEELYARD_ABI {

// Fills what follows from norm, effort and rows.
void finish(Residual& residual);

// Adds two residuals of rows that are different.
void add(const Residual& part, Residual& to);

// The entry of the same row, made when it is not there; its sums are increased by those of `part`.
void add_by_row(const Residual& part, std::vector<Residual>& rows);

// One total per unit, in the order of the units' first appearance.
std::vector<Residual> totals_by_unit(const std::vector<Residual>& per_row);

}  // namespace steelyard
