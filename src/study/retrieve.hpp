// Feasible parameters of a study: between the estimate and the prediction, from the same folds.
#pragma once

#include <optional>
#include <vector>

#include "steelyard/feasible/intervals.hpp"
#include "steelyard/feasible/retrieve.hpp"
#include "steelyard/result/result.hpp"
#include "steelyard/study/feasible_spec.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

struct StudyState;

// What the step leaves for those after it.
struct FeasibleState {
  std::vector<std::string> columns;
  std::vector<Constraint> constraints;
  Objective objective;
  Retrieval retrieval;
  std::vector<ProvenInterval> intervals;
  VectorXd values;  // in the order of the plan's columns; empty when there are none
};

// The objective of the spec for an estimate of the base's lead columns.
Objective feasible_objective(const FeasibleSpec& spec, const Estimate& estimate, const BaseParameters& base,
                             const Robot& robot, const Quantities& quantities);

// Base parameters of x by the names of their lead columns; other columns stand for themselves.
VectorXd lead_values(const std::vector<std::string>& wanted, const BaseParameters& base,
                     const Quantities& quantities, const VectorXd& x);

// Nothing without `feasible:` in the study. Infeasible constraints leave a finding and a conflict.
void retrieve_feasible(StudyState& state);

// Method, gap, constraints and conflicts: all but residuals.
FeasibleSummary feasible_outcome(const FeasibleState& feasible);

// `links` of the result.
std::vector<LinkValues> link_values(const StudyState& state, const FeasibleState& feasible);

// Into the result: `feasible`, `links`, `validation[].feasible`. After summarize().
void summarize_feasible(StudyState& state);

}  // namespace STEELYARD_ABI
}  // namespace steelyard
