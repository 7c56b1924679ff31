#include "gains/spread.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "steelyard/core/error.hpp"
#include "steelyard/core/statistics.hpp"
#include "steelyard/estimate/intervals.hpp"

namespace steelyard {
inline namespace STEELYARD_ABI {
namespace {

std::vector<Index> places_in(const GainFit& fit, const std::vector<std::string>& columns) {
  std::vector<Index> places;
  for (const std::string& column : columns) places.push_back(fit.find(column));
  return places;
}

}  // namespace

GainFit empty_fit(const GainProblem& problem, GainMethod method) {
  GainFit fit;
  fit.method = method;
  fit.columns = gain_columns(problem);
  fit.gains = static_cast<Index>(problem.gains.size());
  const auto n = static_cast<Index>(fit.columns.size());
  fit.values = VectorXd::Zero(n);
  fit.sigma_classical = VectorXd::Constant(n, kNaN);
  fit.lower = fit.upper = fit.sigma_classical;
  return fit;
}

void put_values(const std::vector<std::string>& columns, const VectorXd& values, GainFit& fit) {
  const std::vector<Index> places = places_in(fit, columns);
  for (std::size_t k = 0; k < places.size(); ++k)
    if (places[k] >= 0) fit.values[places[k]] = values[static_cast<Index>(k)];
}

void put_classical(const std::vector<std::string>& columns, const VectorXd& sigma, GainFit& fit) {
  const std::vector<Index> places = places_in(fit, columns);
  for (std::size_t k = 0; k < places.size(); ++k)
    if (places[k] >= 0) fit.sigma_classical[places[k]] = sigma[static_cast<Index>(k)];
}

void put_spread(const std::vector<std::string>& columns, const BlockMoments& moments,
                const GainOptions& options, GainFit& fit) {
  const Index n = fit.values.size();
  fit.sigma = fit.sigma_classical;
  fit.covariance = MatrixXd::Zero(n, n);
  VectorXd degrees = VectorXd::Constant(n, 1e6);
  if (moments.blocks() >= kTooFewBlocks) {
    const Bootstrap boot = bootstrap(moments, options.bootstrap);
    const std::vector<Index> places = places_in(fit, columns);
    for (std::size_t a = 0; a < places.size(); ++a) {
      if (places[a] < 0) continue;
      fit.sigma[places[a]] = boot.sigma[static_cast<Index>(a)];
      degrees[places[a]] = boot.degrees[static_cast<Index>(a)];
      for (std::size_t b = 0; b < places.size(); ++b)
        if (places[b] >= 0)
          fit.covariance(places[a], places[b]) =
              boot.covariance(static_cast<Index>(a), static_cast<Index>(b));
    }
  } else {
    for (Index k = 0; k < n; ++k)
      fit.covariance(k, k) = std::isfinite(fit.sigma[k]) ? fit.sigma[k] * fit.sigma[k] : 0;
  }
  for (Index k = 0; k < n; ++k) {
    if (!std::isfinite(fit.sigma[k])) continue;
    const double reach = student_quantile((1 + options.level) / 2, degrees[k]) * fit.sigma[k];
    fit.lower[k] = fit.values[k] - reach;
    fit.upper[k] = fit.values[k] + reach;
  }
}

std::vector<double> row_deviations(const GainProblem& problem, const Estimate& estimate,
                                   const std::string& prefix) {
  std::vector<double> sigma(problem.joints.size(), 0);
  for (std::size_t j = 0; j < sigma.size(); ++j)
    for (const Residual& row : estimate.per_row)
      if (row.row == prefix + problem.joints[j]) sigma[j] = row.sigma;
  return sigma;
}

Estimate least_squares(const GainProblem& problem, std::span<const Fold> folds, Weighting weighting) {
  EstimateOptions options;
  options.weighting = weighting;
  options.conditions = false;
  const std::vector<Fold> priors = gain_priors(problem);
  return estimate(folds, options, priors);
}

GainFit fit_least_squares(const GainProblem& problem, GainMethod method, const GainOptions& options) {
  const std::vector<Fold> folds = gain_equations(problem);
  const Estimate found =
      least_squares(problem, folds, method == GainMethod::ls ? Weighting::none : Weighting::by_row);
  GainFit fit = empty_fit(problem, method);
  put_values(found.columns, found.values, fit);
  put_classical(found.columns, found.sigma, fit);
  fit.row_sigma = row_deviations(problem, found, "torque:");
  if (options.spread)
    put_spread(found.columns, block_moments(folds, found, gain_priors(problem)), options, fit);
  return fit;
}

}  // namespace STEELYARD_ABI
}  // namespace steelyard
