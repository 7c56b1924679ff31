// Weights from residuals, and residuals of a solution; shared by the estimators on folds.
#pragma once

#include <functional>

#include "estimate/groups.hpp"
#include "estimate/solve.hpp"
#include "steelyard/estimate/estimate.hpp"

namespace steelyard::inline STEELYARD_ABI {

// New weights from the residuals of a solution; returns the largest relative change. `huber` infinite: 1/σ.
double reweight(Problem& problem, const Solution& solution, double huber);

// Solves and weights in turn by the options. `solution` is that of the weights at the beginning, then of
// those at the end; returns how often it was solved again.
int iterate_weights(Problem& problem, const EstimateOptions& options, Solution& solution,
                    const std::function<Solution()>& solve_again, bool& converged);

// Weights of the folds as they were given.
void fill_weights(const Problem& problem, std::size_t folds, Estimate& out);

// Residuals by row kind and in total, degrees of freedom, standard deviation of the weighted rows.
void fill_residuals(const Problem& problem, const Solution& solution, Estimate& out);

// Status, covariance and standard deviations; values and residuals are already set. `solution` has the
// columns of `out`.
void finish_estimate(const Solution& solution, bool converged, Estimate& out);

}  // namespace steelyard
