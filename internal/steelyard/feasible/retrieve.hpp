// Feasible parameters by the method that fits the problem.
//
//   automatic   the convex relaxation; when its solution violates a constraint that is not convex, the
//               penalty search from there, with the relaxation's value as lower bound
//   convex      the convex relaxation alone; violated constraints are listed
//   penalty     the penalty search, from the relaxation's solution and other starts
//   annealing   the same with simulated annealing from random points in the box, as published
//
// gap = (φ − lower bound) / (φ + 1e-6 ‖z‖²): by how much the parameters may be worse than the best feasible
// ones. Penalty searches have one too, from the relaxation.
//
// Constraints that contradict each other give feasible = false and `conflict`, an irreducible set of them by
// name.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/feasible/conflict.hpp"
#include "steelyard/feasible/options.hpp"
#include "steelyard/feasible/penalty.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct RetrieveOptions {
  FeasibleMethod method = FeasibleMethod::automatic;
  ConvexOptions convex;
  PenaltyOptions penalty;  // starts are added to
  bool conflicts = true;   // find the conflict of infeasible constraints
};

struct Retrieval {
  bool feasible = false;
  FeasibleMethod method = FeasibleMethod::convex;  // that gave x: never automatic
  std::vector<std::string> columns;
  VectorXd x;  // empty when the relaxation is infeasible
  double value = 0;
  std::optional<double> lower_bound;
  std::optional<double> gap;
  std::vector<ConstraintState> constraints;
  std::vector<std::string> violated;  // at x
  std::vector<bool> chosen;           // per column: not determined by the data
  std::optional<Conflict> conflict;   // when the constraints are infeasible
  ConvexSolution relaxation;
  std::optional<PenaltySolution> search;

  std::string brief() const;
};

Retrieval retrieve(const Objective& objective, const std::vector<Constraint>& constraints, const Robot& robot,
                   const RetrieveOptions& options = {});

// The largest δ with P ⪰ δ |m| diag(ℓ², ℓ², ℓ², 1): the dimensionless margin of a body, negative if it is not
// one. Without mass: 0 if all parameters are zero, −1 otherwise.
double body_margin(const Inertia& inertia, double length);

}  // namespace steelyard
