// The set {x feasible: ‖R x − z‖² ≤ φ_min + c} as a cone program, and its homogeneous form for ratios.
#pragma once

#include "feasible/problem.hpp"
#include "steelyard/feasible/intervals.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct IntervalSet {
  FeasibleProblem problem;
  double radius = 0;            // ‖u‖ ≤ radius
  double allowance = 0;         // c
  Eigen::VectorXd start;        // y well inside
  ConeProgram program;          // of the set, without objective: ball and limits of reach included
  std::size_t first_limit = 0;  // the program's blocks from here on are limits of reach
  double reach = 0;
};

IntervalSet make_interval_set(const Objective& objective, const std::vector<Constraint>& constraints,
                              const Robot& robot, const ProvenOptions& options);

// min sign · (above·x)/(below·x) over the set, in units of `unit`: sign +1 gives the lower end.
struct EndProblem {
  ConeProgram program;
  Eigen::VectorXd start;
  ConeOptions options;
  double unit = 1;
  bool homogeneous = false;  // the program's x̂ is (x, 1)/b
};
EndProblem linear_end(const IntervalSet& set, const Functional& functional, double sign, double tolerance);
EndProblem ratio_end(const IntervalSet& set, const Functional& functional, double sign, double tolerance);

// The smallest b of a ratio a/b that counts as within reach.
double smallest_denominator(const IntervalSet& set, const Functional& functional);
// min sign (a − ratio b) over the set with b within reach, to be known well enough to bound a/b to `wanted`.
EndProblem difference_end(const IntervalSet& set, const Functional& functional, double sign, double ratio,
                          double wanted);

}  // namespace steelyard
