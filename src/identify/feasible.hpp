// Step 4 of a study, third part: feasible parameters from the factor of the estimate.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "identify/pull.hpp"
#include "steelyard/estimate/estimate.hpp"
#include "steelyard/feasible/intervals.hpp"
#include "steelyard/feasible/joint_forces.hpp"
#include "steelyard/feasible/retrieve.hpp"
#include "steelyard/identify/runs.hpp"
#include "steelyard/result/result.hpp"
#include "steelyard/study/sections.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct FeasibleModel {
  std::vector<std::string> columns;
  Reference reference;
  PullChoice pull;
  std::vector<Constraint> constraints;
  Objective objective;
  Index data_rows = 0;  // of the objective: those before a pull
  Retrieval retrieval;
  std::vector<ProvenInterval> intervals;
  std::vector<ForceInstant> forces;      // one per joint, when requested
  std::vector<ProvenInterval> wrenches;  // six per joint: forces and moments at its instant
  VectorXd values;                       // in the order of the plan's columns; empty when there are none
  std::vector<Finding> findings;         // constraints that contradict each other or are violated
};

// None without `feasible:` in the study. `rows` may be empty. `block_sigma`: standard deviations by blocks of
// the estimate's columns; may be empty.
std::optional<FeasibleModel> retrieve_feasible(const Setup& setup, const Runs& runs,
                                               const std::vector<RunRows>& rows, const Fit& fit,
                                               const VectorXd& block_sigma);

// The objective of the spec for an estimate of the base's lead columns, without a pull.
Objective feasible_objective(const FeasibleSpec& spec, const Estimate& estimate, const BaseParameters& base,
                             const Quantities& quantities);

// Base parameters of x by the names of their lead columns; other columns are kept.
VectorXd lead_values(const std::vector<std::string>& wanted, const BaseParameters& base,
                     const Quantities& quantities, const VectorXd& x);

// The estimate with the values of the feasible parameters.
Estimate with_feasible_values(const Setup& setup, const Estimate& estimate, const FeasibleModel& feasible);

// Method, gap, constraints and conflicts: all but residuals.
FeasibleSummary feasible_outcome(const FeasibleModel& feasible);

// Puts the values that the feasible parameters have beside the estimated ones, and φ1.
void put_feasible(const Estimate& values, std::vector<BaseValue>& base, FeasibleSummary& summary);

// `links` of the result.
std::vector<LinkValues> link_values(const Robot& robot, const FeasibleModel& feasible);

// Constraints of the study behind those of physics, of the robot's file and of fitted shapes of friction. Meshes are read here.
std::vector<Constraint> make_constraints(const Setup& setup, const FeasibleSpec& spec,
                                         const Quantities& quantities);

// Index of a link given by number or name. Throws InputError with the nearest name.
int find_link(const Robot& robot, const std::string& link, const std::string& constraint, const Place& place);

}  // namespace steelyard
