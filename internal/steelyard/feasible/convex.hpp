// The convex feasible fit: min φ(x) under the convex constraints, with a proof of how good it is.
//
// A primal-dual interior point method with Nesterov-Todd scaling on small matrix blocks (a 4 × 4 block a
// link, rows as 1 × 1 blocks) and one second-order cone where squares are bounded. Every iterate is strictly
// feasible: the start is the reference, or the end of a phase that looks for an interior point.
//
// Unseen directions. φ does not depend on the null space of R. What it leaves open is chosen by a vanishing
// weight w on Σ_j D(P_j ‖ P_j⁰) of all links, P⁰ the given reference (reference.hpp). w is so small that its share in the certified gap is below `gap`; it is part of the
// solution. Links without a positive definite P by constraint, and columns that belong to no link, are pulled
// by w (x − x⁰)²/scale² instead. Columns whose value rests on this choice are marked `chosen`.
//
// Certificate. With multipliers Z ⪰ 0 of the constraints, φ(x) ≥ lower_bound for every x that obeys the
// convex constraints, has P_j ⪯ reach ‖P_j⁰‖ 1 in scaled units (mass and size of the reference body; norm:
// the largest eigenvalue) and further columns that the data do not determine within `reach` of their scale:
// bodies up to `reach` times as large as the reference in every direction. (Without such a limit rounding
// errors in unseen directions would void any proof.) References that are nearly singular are rounded first:
// no eigenvalue of the scaled P⁰ below 1e-3 of its largest. What the constraints of a non-convex kind imply
// is part of the problem: lower_bound holds for them too, but x may violate them; `relaxed` lists those
// violated at x.
//
// Infeasible constraints give status `infeasible` and nothing else; conflict.hpp finds the conflicting ones.
// Deterministic and free of shared state: may be called from many threads.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/feasible/constraints.hpp"
#include "steelyard/feasible/objective.hpp"

namespace steelyard::inline STEELYARD_ABI {

enum class ConvexStatus {
  solved,
  thin,        // solved, but the constraints have no interior: they were loosened by `loosened` (scaled)
  infeasible,  // no x obeys the constraints
  stalled,     // the requested gap was not reached; x is feasible and the certificate is valid
};
const char* to_string(ConvexStatus status);

struct ConvexOptions {
  double gap = 1e-7;    // of φ + 1e-6 ‖z‖²
  double reach = 1000;  // see above
  VectorXd reference;   // x⁰; empty: reference_bodies() of the robot alone
  int max_iterations = 200;
  double active = 1e-6;           // constraints with a scaled margin below are called active
  double rank_tolerance = 1e-10;  // singular values of the scaled columns of R below are unseen

  void validate() const;  // throws InputError
};

struct ConstraintState {
  std::string name;
  double margin = 0;      // smallest value of evaluate(): negative only for a relaxed one
  double multiplier = 0;  // Σ tr Z of its blocks: by how much φ would fall per unit of slack
  bool active = false;
  bool convex = true;
};

struct ConvexSolution {
  ConvexStatus status = ConvexStatus::solved;
  std::vector<std::string> columns;
  VectorXd x;
  double value = 0;                          // φ(x)
  double lower_bound = 0;                    // φ of every feasible x within reach is at least this
  double gap = 0;                            // (value − lower_bound) / (value + 1e-6 ‖z‖²)
  double weight = 0;                         // w
  double loosened = 0;                       // by how much constraints were loosened, see `thin`
  std::vector<bool> chosen;                  // per column: not determined by the data
  Index seen = 0;                            // rank of R
  std::vector<ConstraintState> constraints;  // in the order given
  std::vector<std::string> relaxed;          // non-convex ones that x violates
  int iterations = 0;                        // both phases
  int phase1_iterations = 0;

  bool usable() const { return status != ConvexStatus::infeasible; }
};

ConvexSolution solve_convex(const Objective& objective, const std::vector<Constraint>& constraints,
                            const Robot& robot, const ConvexOptions& options = {});

}  // namespace steelyard
