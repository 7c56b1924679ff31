// Hypotheses with a number that is searched for.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "steelyard/doctor/hypotheses.hpp"
#include "steelyard/doctor/trial.hpp"

namespace steelyard::doctor {

using Score = std::function<double(const Hypothesis&)>;

// Those with a free number, on a grid.
void add_grids(const Robot& robot, std::vector<Hypothesis>& list);

// What the model lacks: springs, and stops near the ends of a joint's range.
void add_terms(const Trial& trial, const SetUp& set_up, std::vector<Hypothesis>& list);

// The same with its free number refined, within some distance of it.
struct Refined {
  Hypothesis hypothesis;
  bool has_minimum = true;  // false: the best number is at the end of what was searched
};
Refined refined(const Robot& robot, const Score& score_of, const Hypothesis& hypothesis);

// A light joint's gain without end: nothing but its own drive is in its effort, and the others are explained without it. Likewise a
// second without end: nothing of inertia. What explains no more than that does not show its number.
std::optional<Hypothesis> without_number(const Trial& trial, const Robot& robot,
                                         const Hypothesis& hypothesis);

// A length of the robot file is another one.
bool is_length(const Hypothesis& hypothesis);

}  // namespace steelyard::doctor
