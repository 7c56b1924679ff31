// Two mistakes that hide each other.
//
// None alone explains the log, or one that does stands for both. Each of two is looked for beside the other until neither changes:
//   b → the best a on top of b → the best b on top of a → …
// Both must be as clear beside the other as a single one, and held-out rows explained nearly as well as fitted ones.
#pragma once

#include <optional>
#include <vector>

#include "doctor/ranking.hpp"
#include "steelyard/doctor/set_up.hpp"

namespace steelyard::doctor {

// Reads the hypotheses on top of nothing, `single`, where the log is not explained, and puts what it finds into the examination.
void examine_pairs(const Trial& trial, const Scored& single, const SetUpOptions& options,
                   SetUpExamination& examination);

}  // namespace steelyard::doctor
