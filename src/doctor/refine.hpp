// Hypotheses with a number that is searched for.
#pragma once

#include <functional>
#include <vector>

#include "steelyard/doctor/hypotheses.hpp"
#include "steelyard/doctor/trial.hpp"

namespace steelyard::doctor {

using Score = std::function<double(const Hypothesis&)>;

// Those with a free number, on a grid.
void add_grids(const Robot& robot, std::vector<Hypothesis>& list);

// What the model lacks: springs, and stops near the ends of a joint's range.
void add_terms(const Trial& trial, const SetUp& set_up, std::vector<Hypothesis>& list);

// The same with its free number refined.
Hypothesis refined(const Robot& robot, const Score& score_of, const Hypothesis& hypothesis);

// A length of the robot file is another one.
bool is_length(const Hypothesis& hypothesis);

}  // namespace steelyard::doctor
