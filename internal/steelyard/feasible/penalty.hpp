// Penalty-based parameter retrieval: constraints as increasing penalties, from several starts.
//
//   min f = φ + ξ γ,     γ: sum of all violations of constraints g ≥ 0,     ξ increasing level by level
//
// Any constraint may enter: non-convex ones, and free expressions with if-else.
//
//   descent (default)   γ of squared violations, Levenberg-Marquardt with analytic gradients in the linear
//                       columns x, where the objective is quadratic and convex constraints are affine matrix
//                       inequalities: for convex problems f is convex, and every start leads to the same φ.
//                       The last level is repeated for g ≥ ε with increasing ε until nothing is violated: the
//                       result is strictly feasible.
//   annealing           as published (Panda paper, Algorithm 1): p = (m, c, I) in its box LB ≤ p ≤ UB, γ of
//                       the violations themselves, simulated annealing; a descent follows unless disabled
//
// Starts: those given (the convex solution), the reference bodies, random bodies in the box. Deterministic
// for a seed, regardless of the number of threads. This is a local search: with non-convex constraints the
// best of the starts is not a proven minimum; the value of the convex relaxation is a lower bound.
//
// Directions that do not change φ keep the values of the start: of starts with the same φ the first is used.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/feasible/constraints.hpp"
#include "steelyard/feasible/convex.hpp"
#include "steelyard/feasible/objective.hpp"

namespace steelyard::inline STEELYARD_ABI {

enum class PenaltySearch { descent, annealing };

// Simulated annealing in the box: one coordinate at a time, step lengths kept at about half of the moves
// accepted, temperature from the spread of f at the start down by a factor a sweep.
struct AnnealingOptions {
  int sweeps = 400;            // over all coordinates, per level
  double cooling = 0.96;       // of the temperature, per sweep
  bool descend_at_end = true;  // descent from the best point; false: as published
};

struct PenaltyOptions {
  PenaltySearch search = PenaltySearch::descent;
  int random_starts = 8;         // beside those given and the reference
  std::vector<VectorXd> starts;  // x; tried first, in their order
  bool from_reference = true;    // also from the reference
  VectorXd reference;            // empty: reference_bodies() of the robot alone
  std::uint64_t seed = 1;
  std::vector<double> levels = {1, 1e2, 1e4,
                                1e6};  // ξ, for φ divided by the effort and g by their natural scale
  int max_iterations = 300;            // of a descent, per level
  double margin = 1e-9;                // first ε, in natural scales
  int threads = 1;
  AnnealingOptions annealing;

  void validate() const;  // throws InputError
};

struct PenaltyStart {
  std::string kind;      // "given 1", "reference", "random 3"
  double value = 0;      // φ at its end
  double violation = 0;  // largest −g_k in natural scales; ≤ 0: feasible
  int iterations = 0;
  VectorXd x;
};

struct PenaltySolution {
  bool feasible = false;
  std::vector<std::string> columns;
  VectorXd x;        // best feasible end, or the least violated one
  VectorXd p;        // the same as (m, c, I), further columns
  double value = 0;  // φ(x)
  double violation = 0;
  std::vector<std::string> violated;         // names
  std::vector<ConstraintState> constraints;  // in the order given; no multipliers
  std::vector<PenaltyStart> starts;
  int best = -1;  // of starts
};

// Throws InputError for constraints that are not valid, or whose expression has no value (a division by zero)
// at any of the starts: with the constraint's name.
PenaltySolution solve_penalty(const Objective& objective, const std::vector<Constraint>& constraints,
                              const Robot& robot, const PenaltyOptions& options = {});

}  // namespace steelyard
