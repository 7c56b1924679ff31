// Standard deviations and intervals of a fit from the influence of its time blocks; shared by all methods.
#pragma once

#include <limits>
#include <span>
#include <string>
#include <vector>

#include "steelyard/estimate/bootstrap.hpp"
#include "steelyard/estimate/estimate.hpp"
#include "steelyard/gains/fit.hpp"

namespace steelyard::inline STEELYARD_ABI {

inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();  // not determined by a fit

// A fit with the problem's unknowns, all values NaN.
GainFit empty_fit(const GainProblem& problem, GainMethod method);

// Values of a list of columns into the fit's own order; columns it does not have are passed over.
void put_values(const std::vector<std::string>& columns, const VectorXd& values, GainFit& fit);
void put_classical(const std::vector<std::string>& columns, const VectorXd& sigma, GainFit& fit);

// Standard deviations, covariance and intervals of the columns from the moments (in the order of `columns`),
// with the standard deviations of priors, which no block shows, and a further covariance (may be empty). With
// fewer than five blocks the classical standard deviations take the bootstrap's place.
void put_spread(const std::vector<std::string>& columns, const BlockMoments& moments, const MatrixXd& further,
                const GainOptions& options, GainFit& fit);

// Standard deviation of row kinds in the order of the problem's joints.
std::vector<double> row_deviations(const GainProblem& problem, const Estimate& estimate, RowSide side);

Estimate least_squares(const GainProblem& problem, std::span<const Fold> folds, Weighting weighting);

GainFit fit_least_squares(const GainProblem& problem, GainMethod method, const GainOptions& options);
GainFit fit_total(const GainProblem& problem, const GainOptions& options);
GainFit fit_prediction_error(const GainProblem& problem, const GainOptions& options);

// The motor rows of all runs, linear in the unknowns at the values of a fit: effort "load" is the current
// minus what does not depend on the unknowns. `total`: blocks merged to one fold per run and row.
std::vector<Fold> linearized_rows(const GainProblem& problem, const GainFit& at, bool total);

}  // namespace steelyard
