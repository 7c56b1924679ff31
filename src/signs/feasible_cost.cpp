#include "signs/feasible_cost.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "steelyard/core/error.hpp"
#include "steelyard/core/linear_algebra.hpp"
#include "steelyard/feasible/penalty.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

// Columns of the quantities that no feasible point has negative.
std::set<Index> never_negative(const std::vector<Constraint>& constraints, const Quantities& quantities) {
  std::set<Index> columns;
  for (const Constraint& constraint : constraints) {
    if (const auto* bound = std::get_if<Bound>(&constraint.form)) {
      const Index column = quantities.column(bound->quantity);
      if (column >= 0 && bound->lower >= 0) columns.insert(column);
    }
    if (const auto* body = std::get_if<PseudoInertia>(&constraint.form))
      for (const int k : {0, 4, 7, 9}) columns.insert(Index{10} * body->link + k);  // m, Jxx, Jyy, Jzz
  }
  return columns;
}

void add_cut(const ConvexSolution& solution, const Eigen::VectorXd& Rx, const Eigen::VectorXd& z,
             double rounding, std::vector<FeasibleCut>& cuts) {
  FeasibleCut cut{2 * (Rx - z), Rx, std::max(0.0, solution.value - solution.lower_bound) + rounding};
  if (cut.w.squaredNorm() > rounding) cuts.push_back(std::move(cut));
}

std::string key_of(const VectorXd& signs) {
  std::string key;
  for (const double sign : signs) key.push_back(sign < 0 ? '-' : '+');
  return key;
}

}  // namespace

double bound_by_cuts(const std::vector<FeasibleCut>& cuts, const Eigen::VectorXd& z, double limit) {
  double largest = 0;
  for (const FeasibleCut& cut : cuts) {
    const double reach = std::sqrt(limit) + (z - cut.Rx).norm();
    const double slack = cut.w.dot(cut.Rx - z) - 2 * std::sqrt(cut.gap) * reach;
    if (slack > 0) largest = std::max(largest, slack * slack / cut.w.squaredNorm());
  }
  return largest;
}

FeasibleCost::FeasibleCost(const SignProblem& problem, const SignPhysics& physics, double gap)
    : problem_(problem), robot_(*physics.robot), gap_(gap) {
  Layout layout;
  layout.row = "all";
  layout.unit = "1";
  layout.columns = problem.columns;
  layout.efforts = {"torque"};
  layout.effort_units = {"1"};
  const Index columns = static_cast<Index>(problem.columns.size());
  MatrixXd unit = MatrixXd::Zero(columns, columns + 1);
  unit.leftCols(columns).setIdentity();
  const Fold identity = fold_of_triangle(std::make_shared<const Layout>(layout), unit, columns);
  const Quantities quantities = quantities_of(robot_, *physics.base, identity);
  objective_ = torque_objective(identity, *physics.base, quantities);
  require(objective_.R.rows() == columns, "one row per column of the base");
  constraints_ = physics.constraints ? *physics.constraints : physical_constraints(robot_, quantities);
  base_of_ = objective_.R;
  const MatrixXd& K = base_of_;
  objective_.R = problem.R_YY * K;
  objective_.z = VectorXd::Zero(objective_.R.rows());
  objective_.constant = problem.effort;
  if (physics.pull) physics.pull(quantities, objective_);
  pull_z_ = objective_.z.tail(objective_.z.size() - problem.R_YY.rows());
  if (problem.R_YY.rows() < columns) return;  // some columns are not determined: no quick bound

  const Eigen::MatrixXd inverse = inverse_of(problem.R_YY);
  const std::set<Index> sure = never_negative(constraints_, quantities);
  std::vector<Index> rows;
  for (Index k = 0; k < columns; ++k) {
    bool holds = true;
    for (Index j = 0; j < K.cols(); ++j) holds &= K(k, j) == 0 || (K(k, j) > 0 && sure.count(j) > 0);
    if (holds) rows.push_back(k);
  }
  from_effort_.resize(static_cast<Index>(rows.size()), problem.size());
  information_.resize(static_cast<Index>(rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    from_effort_.row(static_cast<Index>(i)) = inverse.row(rows[i]) * problem.R_YE;
    information_[static_cast<Index>(i)] = 1 / inverse.row(rows[i]).squaredNorm();
  }
}

double FeasibleCost::quick_bound(const VectorXd& signs, double limit) const {
  const double residual = std::max(0.0, problem_.residual(signs) - problem_.rounding);
  if (residual >= limit) return residual;
  double more = 0;
  if (from_effort_.rows() > 0) {
    const Eigen::VectorXd values = (from_effort_ * signs).cwiseMin(0);
    more = values.cwiseAbs2().cwiseProduct(information_).maxCoeff() * (1 - 1e-9);
  }
  const Eigen::VectorXd z = right_side(signs);
  const double left = std::min(limit, problem_.effort) - residual;  // of the fit of a point below the limit
  more = std::max(more, bound_by_cuts(cuts_, z, left));
  return residual + more;
}

VectorXd FeasibleCost::right_side(const VectorXd& signs) const {
  VectorXd z(problem_.R_YE.rows() + pull_z_.size());
  z << problem_.R_YE * signs, pull_z_;
  return z;
}

ConvexSolution FeasibleCost::solve(const VectorXd& signs, double gap) const {
  Objective objective = objective_;
  objective.z = right_side(signs);
  objective.constant = problem_.residual(signs);
  ConvexOptions options;
  options.gap = gap;
  return solve_convex(objective, constraints_, robot_, options);
}

Objective FeasibleCost::distance_of(const VectorXd& values) const {
  Objective objective = objective_;
  objective.R = base_of_;
  objective.z = values;
  objective.constant = 0;
  objective.pulls.clear();
  return objective;
}

double FeasibleCost::nearest_by_penalty(const VectorXd& values, int starts, std::uint64_t seed) const {
  PenaltyOptions options;
  options.random_starts = starts;
  options.seed = seed;
  const PenaltySolution solution = solve_penalty(distance_of(values), constraints_, robot_, options);
  return solution.feasible ? solution.value : std::numeric_limits<double>::infinity();
}

ConvexSolution FeasibleCost::nearest(const VectorXd& values, double gap,
                                     std::vector<FeasibleCut>& cuts) const {
  ConvexOptions options;
  options.gap = gap;
  ConvexSolution solution = solve_convex(distance_of(values), constraints_, robot_, options);
  if (solution.usable())
    add_cut(solution, base_of_ * solution.x, values, 1e-12 * std::max(values.squaredNorm(), 1e-300), cuts);
  return solution;
}

const PatternCost& FeasibleCost::fit(const VectorXd& signs) {
  const auto [found, is_new] = seen_.try_emplace(key_of(signs));
  if (!is_new) return found->second;
  ++fits_;
  const ConvexSolution solution = solve(signs, gap_);
  PatternCost& cost = found->second;
  constexpr double kNone = std::numeric_limits<double>::infinity();
  cost.value = solution.usable() ? solution.value : kNone;
  cost.lower = kNone;
  if (!solution.usable()) return cost;
  cost.lower = std::max(solution.lower_bound, problem_.residual(signs) - problem_.rounding);
  // A pull towards bodies bends φ2: its half spaces are not those of the squares.
  if (objective_.pulls.empty())
    add_cut(solution, objective_.R * solution.x, right_side(signs), 1e-12 * problem_.effort, cuts_);
  if (best_key_.empty() || solution.value < best_.value) {
    best_ = solution;
    best_key_ = key_of(signs);
  }
  return cost;
}

const ConvexSolution* FeasibleCost::best_fit(const VectorXd& signs) const {
  return best_key_ == key_of(signs) ? &best_ : nullptr;
}

}  // namespace steelyard
