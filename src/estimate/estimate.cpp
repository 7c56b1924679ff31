#include "steelyard/estimate/estimate.hpp"

#include "estimate/groups.hpp"
#include "estimate/solve.hpp"
#include "estimate/weights.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/estimate/condition.hpp"

namespace steelyard::inline STEELYARD_ABI {

Estimate estimate(std::span<const Fold> folds, const EstimateOptions& options, std::span<const Fold> priors) {
  options.validate();
  Problem problem = make_problem(folds, priors, options.weighting == Weighting::by_row_and_block);
  Estimate out;
  const auto solve_again = [&] {
    out.factor = problem.factor();
    return solve(out.factor.columns(), out.factor.efforts().col(0), options.rank_tolerance);
  };
  Solution solution = solve_again();
  bool converged = false;
  out.iterations = iterate_weights(problem, options, solution, solve_again, converged);
  out.columns = problem.all->columns;
  out.values = solution.x;
  out.column_status = solution.status;
  out.rank = solution.rank;
  fill_weights(problem, folds.size(), out);
  fill_residuals(problem, solution, out);
  finish_estimate(solution, converged, out);
  if (options.conditions) {
    const Conditioning conditioning = condition_of(out.factor.columns(), options.rank_tolerance);
    out.condition = conditioning.condition;
    out.condition_scaled = conditioning.condition_scaled;
  }
  return out;
}

}  // namespace steelyard
