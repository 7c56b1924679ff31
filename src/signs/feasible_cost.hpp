// φ2 of sign patterns: the convex fit, and a bound that costs a product.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "steelyard/feasible/convex.hpp"
#include "steelyard/signs/recover.hpp"

namespace steelyard::inline STEELYARD_ABI {

struct PatternCost {
  double value = 0;  // φ2 of a feasible point, or +∞ when none was looked for
  double lower = 0;  // φ2 of every feasible point is at least this
};

// A half space that a fit has shown to be empty of feasible points, see FeasibleCost::quick_bound.
struct FeasibleCut {
  Eigen::VectorXd w;
  Eigen::VectorXd Rx;
  double gap = 0;
};

// By how much ‖R x − z‖² is above zero for feasible x, as far as cuts show; or `limit` when that is smaller.
double bound_by_cuts(const std::vector<FeasibleCut>& cuts, const Eigen::VectorXd& z, double limit);

class FeasibleCost {
 public:
  FeasibleCost(const SignProblem& problem, const SignPhysics& physics, double gap);

  // A number that φ2(s) is not below, or `limit` when that is smaller: residual(s), and more where a base
  // parameter is negative that cannot be, or where an earlier fit has shown a half space to be empty.
  //
  // A fit of z with optimum x*, value φ and lower bound L: for feasible x the step from x* towards x cannot
  // gain more than φ − L, so that wᵀR(x − x*) ≥ −2 √(φ − L) ‖R(x − x*)‖ with w = 2(R x* − z). Other signs
  // have another z, but the same half space.
  double quick_bound(const VectorXd& signs, double limit) const;

  // The convex fit; patterns are cached.
  const PatternCost& fit(const VectorXd& signs);

  int fits() const { return fits_; }
  // The fit of least value so far, when it is that of these signs; null otherwise.
  const ConvexSolution* best_fit(const VectorXd& signs) const;
  // Feasible parameters of a pattern.
  ConvexSolution solve(const VectorXd& signs, double gap) const;
  // φ1: feasible parameters with base values nearest to these, one per column of the problem. Its result is
  // added to the cuts, which hold for all problems with the same columns.
  ConvexSolution nearest(const VectorXd& values, double gap, std::vector<FeasibleCut>& cuts) const;
  // The same as published: penalties from random starts. Only its value, +∞ when no start ends feasible.
  double nearest_by_penalty(const VectorXd& values, int starts, std::uint64_t seed) const;
  const std::vector<std::string>& columns() const { return objective_.columns; }

 private:
  VectorXd right_side(const VectorXd& signs) const;
  Objective distance_of(const VectorXd& values) const;  // φ1

  const SignProblem& problem_;
  const Robot& robot_;
  std::vector<Constraint> constraints_;
  Objective objective_;  // for any signs: z and the constant are put in
  VectorXd pull_z_;      // of a pull's rows, behind those of the data
  MatrixXd base_of_;     // K: columns of the problem from parameters
  double gap_;
  Eigen::MatrixXd from_effort_;  // values of the columns that cannot be negative, from the signs
  Eigen::VectorXd information_;  // one over the variance of each
  std::vector<FeasibleCut> cuts_;
  std::unordered_map<std::string, PatternCost> seen_;
  ConvexSolution best_;
  std::string best_key_;
  int fits_ = 0;
};

}  // namespace steelyard
