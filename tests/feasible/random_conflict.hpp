// Random constraints that often exclude each other, and the definition of an irreducible set as judge.
#pragma once

#include "feasible/random_problem.hpp"
#include "steelyard/feasible/conflict.hpp"

namespace steelyard::feasible_test {

struct ConflictCase {
  RandomProblem problem;
  std::vector<Constraint> constraints;
};

// Two bodies of at most 30 kg and 5 kg m², and 25 random rows of three parameters.
inline ConflictCase random_conflict(std::uint64_t seed) {
  RandomProblemOptions options;
  options.links = 2;
  ConflictCase out{random_problem(seed, options), {}};
  const Quantities& quantities = out.problem.quantities;
  out.constraints = physical_constraints(out.problem.robot, quantities);
  oracle::Random random(seed);
  out.constraints.push_back(total_mass(quantities, 0, 30));
  for (const char* moment : {"Jxx1", "Jyy1", "Jxx2", "Jyy2"})
    out.constraints.push_back({moment, Bound{moment, 0, 5}, {}});
  for (int k = 0; k < 25; ++k) {
    Combination form;
    for (int t = 0; t < 3; ++t) {
      const auto column = static_cast<std::size_t>(random.index(static_cast<int>(quantities.size())));
      form.terms.emplace_back(quantities.columns()[column], random.uniform(-1, 1));
    }
    form.lower = random.uniform(-0.2, 0.3);
    out.constraints.push_back({"row " + std::to_string(k), form, {}});
  }
  return out;
}

// By the definition, with the convex method as judge: all members infeasible, any one left out feasible.
// Empty when it is so, otherwise what is wrong.
inline std::string judge_conflict(const ConflictCase& wanted, const Conflict& conflict) {
  Objective objective;
  objective.columns = wanted.problem.quantities.columns();
  objective.R = wanted.problem.objective.R;
  objective.z = wanted.problem.objective.z;
  std::vector<Constraint> members;
  for (const Constraint& constraint : wanted.constraints)
    for (const ConflictMember& member : conflict.members)
      if (member.name == constraint.name) members.push_back(constraint);
  if (solve_convex(objective, members, wanted.problem.robot).status != ConvexStatus::infeasible)
    return "the members together can be kept";
  for (std::size_t k = 0; k < members.size(); ++k) {
    std::vector<Constraint> rest = members;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(k));
    const ConvexSolution solution = solve_convex(objective, rest, wanted.problem.robot);
    if (!solution.usable()) return "infeasible without " + members[k].name;
    for (const ConstraintState& state : solution.constraints)
      if (state.margin < -1e-6) return "without " + members[k].name + " still breaks " + state.name;
  }
  return "";
}

}  // namespace steelyard::feasible_test
