// Rows that rejection, decimation and trimming leave of each joint. A joint without rows has no part in a
// fit: its residual is zero over zero, and what only its rows identify is unknown.
#pragma once

#include <vector>

#include "steelyard/core/finding.hpp"
#include "steelyard/identify/folded.hpp"

namespace steelyard::inline STEELYARD_ABI {

// Before anything is folded: counts the rows of the runs that are fitted, row by row of the plan, and stops
// reading as soon as every joint has enough. Runs that cannot be opened are left out (they have neither folds
// nor samples). Passes over a log only when rows are rejected by their velocity. Throws InputError when there
// is no row at all.
std::vector<Finding> missing_rows(const Setup& setup, const Runs& opened);

// Joints that move in no run that is fitted: their rows at standstill are fitted, without the joint's own friction and
// rotor, which have no part there. A finding for each of them.
std::vector<Finding> keep_still_joints(const Setup& setup, std::vector<RunRows>& runs);

// The same of folded runs. Joints without segments of a sign (`of_signs`) are not reported twice.
std::vector<Finding> missing_rows(const Setup& setup, const std::vector<RunRows>& runs,
                                  const std::vector<Finding>& of_signs);

}  // namespace steelyard
