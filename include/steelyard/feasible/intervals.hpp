// What is provably known: the range of a quantity over all feasible parameters that explain the data.
//
//   [min, max] of gᵀx over {x feasible: ‖R x − z‖² ≤ φ_min + c}
//
// with φ_min the smallest value of the squares over the same constraints. When the rows of R are divided by
// their deviation σ, c is a quantile of χ² (core/statistics.hpp): of one degree for the interval of one
// quantity, of the number of seen parameters for all of them at once. Errors in φ_min can only widen the set.
//
// Each end is a convex problem, solved to a pair: `inner` is the value of a feasible x (kept), `outer` comes
// from a dual point: no feasible x within reach (convex.hpp) goes beyond it. c = mc/m and other ratios a/b
// with b > 0 are one problem each as well, in homogeneous coordinates (x/b, 1/b). An end that only the reach
// limits is infinite and said to be so.
//
// The set is that of the convex constraints and of what the others imply: with non-convex constraints the
// intervals are still true, but may be wider than need be.
#pragma once

#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/feasible/convex.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {

// What to bound: Σ aₖ xₖ + offset, or (Σ aₖ xₖ) / (Σ bₖ xₖ) where `below` is given (b > 0 must follow from
// the constraints, as m does).
struct Functional {
  std::string name;
  VectorXd above;
  VectorXd below;  // empty: 1
  double offset = 0;
};
Functional functional(const Quantities& quantities, const std::string& name);  // linear quantities and c

struct IntervalEnd {
  double inner = 0;       // attained by `point`
  double outer = 0;       // proven
  bool infinite = false;  // inner and outer are then ∓∞
  bool reached = true;    // false: the solver stalled before inner and outer met
  VectorXd point;         // feasible, squares ≤ φ_min + c
};

struct ProvenInterval {
  std::string name;
  IntervalEnd lower, upper;
  bool chosen = false;  // the data gives no end: both are infinite or come from the constraints alone
};

struct ProvenOptions {
  double allowance = 0;     // c ≥ 0
  double tolerance = 1e-6;  // inner and outer meet within this share of the scale of the quantity
  double reach = 1e6;
  bool points = true;  // keep the attaining points
  int threads = 1;     // any number gives the same bytes
  ConvexOptions convex;
};

// `seen` quantities only matter through `objective`; its pulls are not part of the set. Throws InputError
// when the constraints are infeasible or a functional has the wrong size.
std::vector<ProvenInterval> proven_intervals(const Objective& objective,
                                             const std::vector<Constraint>& constraints, const Robot& robot,
                                             const std::vector<Functional>& functionals,
                                             const ProvenOptions& options);

// All standard parameters, all c and all further columns.
std::vector<Functional> all_functionals(const Quantities& quantities);

}  // namespace STEELYARD_ABI
}  // namespace steelyard
