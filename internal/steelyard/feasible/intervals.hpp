// Proven intervals: the range of a quantity over all feasible parameters that explain the data.
//
//   [min, max] of gᵀx over {x feasible: ‖R x − z‖² ≤ φ_min + c}
//
// with φ_min the smallest value of the squares over the same constraints. When the rows of R are divided by
// their standard deviation σ, c is a quantile of χ² (core/statistics.hpp): of one degree for the interval of
// one quantity, of the number of seen parameters for all of them at once. Errors in φ_min can only widen the
// set.
//
// Each end is a convex problem, solved to a pair: `inner` is the value of a feasible x (kept), `outer` comes
// from a dual point: no feasible x within reach goes beyond it. Within reach are bodies whose mean
// tr(P⁰⁻¹ P)/4 is at most `reach`, P⁰ a body like that of a good fit, and further columns up to `reach` times
// the larger of one and their value there. c = mc/m and other ratios a/b are one problem each as well, in
// homogeneous coordinates (x/b, 1/b), over all x with b > 0 and not below 1/reach of the fit's; ends that do
// not meet there are brought together by a few problems of a − r b. An end that only the reach limits, or
// that is farther away than `reach` times the size of the quantity at the fit, is infinite and marked as
// such.
//
// The set is that of the convex constraints and of what the others imply: with non-convex constraints the
// intervals are still true, but may be wider than need be.
#pragma once

#include <string>
#include <vector>

#include "steelyard/core/abi.hpp"
#include "steelyard/feasible/convex.hpp"

namespace steelyard::inline STEELYARD_ABI {

// What to bound: Σ aₖ xₖ + offset, or (Σ aₖ xₖ) / (Σ bₖ xₖ) + offset where `below` is given.
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
  bool chosen = false;  // the data alone does not determine it: the constraints do, or nothing does
};

struct ProvenOptions {
  double allowance = 0;  // c ≥ 0; taken not smaller than the gap to which φ_min is known
  // Inner and outer meet within this share of |value|, and of a hundredth of the width that data alone would
  // give, or of the size of what it does not see.
  double tolerance = 1e-7;
  double reach = 100;
  bool points = true;  // keep the attaining points
  int threads = 1;     // any number gives the same bytes
  ConvexOptions convex;
};

// Pulls of the objective are not part of the set. Throws InputError when the constraints are infeasible or a
// functional has the wrong size.
std::vector<ProvenInterval> proven_intervals(const Objective& objective,
                                             const std::vector<Constraint>& constraints, const Robot& robot,
                                             const std::vector<Functional>& functionals,
                                             const ProvenOptions& options);

// All standard parameters, all c and all further columns.
std::vector<Functional> all_functionals(const Quantities& quantities);

// Forces and moments in the joints at one instant of a motion: "force x of joint 2" …, "moment z of joint 2",
// in link axes about the link frame's origin (dynamics.hpp). Linear in the standard parameters.
std::vector<Functional> wrench_functionals(const Robot& robot, const Quantities& quantities,
                                           const VectorXd& q, const VectorXd& qd, const VectorXd& qdd);

}  // namespace steelyard
