// Feasible parameters of a study: between the estimate and the prediction, from the same folds.
#pragma once

#include <optional>
#include <vector>

#include "identify/joint_forces.hpp"
#include "steelyard/feasible/intervals.hpp"
#include "steelyard/feasible/retrieve.hpp"
#include "steelyard/result/result.hpp"
#include "steelyard/study/feasible_spec.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

struct RunState;
struct StudyState;

// What the step leaves for those after it.
struct FeasibleState {
  std::vector<std::string> columns;
  std::vector<Constraint> constraints;
  Objective objective;
  Retrieval retrieval;
  std::vector<ProvenInterval> intervals;
  std::vector<ForceInstant> forces;      // one a joint, when they are asked for
  std::vector<ProvenInterval> wrenches;  // six a joint: forces and moments at its instant
  VectorXd values;                       // in the order of the plan's columns; empty when there are none
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

// The links and drives of an earlier result as if they had just been found; nothing for results without them.
void take_links(const Result& model, StudyState& state);

// Residuals of the feasible parameters on one run, raw ones included: one more pass over it.
ResidualSummary feasible_residual(const StudyState& state, const FeasibleState& feasible,
                                  const RunState& run);

// Into the result: `feasible`, `links`, `validation[].feasible`. After summarize().
void summarize_feasible(StudyState& state);

}  // namespace STEELYARD_ABI
}  // namespace steelyard
