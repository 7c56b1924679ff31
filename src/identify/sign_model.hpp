// Checks with the model of the recovered signs: faults of the segments, and efforts of the samples outside.
#pragma once

#include <vector>

#include "identify/signs.hpp"
#include "steelyard/signs/recover.hpp"

namespace steelyard::inline STEELYARD_ABI {

std::vector<std::string> sign_joint_names(const Robot& robot);
// Throws InputError with the nearest name.
Index sign_joint_index(const std::vector<std::string>& names, const std::string& joint, const Place& place);

// Findings for changes of sign inside segments and for friction that is not modelled.
void judge_run_signs(const Setup& setup, const Runs& runs, const std::vector<Fold>& folds,
                     const WeighedSearch& found, Signs& signs);

// Completed efforts of all unsigned runs, where the study requests them and they help; the summary reports
// which.
void complete_run_signs(const Setup& setup, const Runs& runs, Signs& signs);

}  // namespace steelyard
