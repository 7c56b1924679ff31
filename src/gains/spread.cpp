#include "gains/spread.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gains/homogeneous.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/core/statistics.hpp"
#include "steelyard/estimate/intervals.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

std::vector<Index> places_in(const GainFit& fit, const std::vector<std::string>& columns) {
  std::vector<Index> places;
  for (const std::string& column : columns) places.push_back(fit.find(column));
  return places;
}

// What errors in the columns take from the values: with exact values x and products D of the errors, least squares gives
// x − A⁻¹ D x.
void put_attenuation(const GainProblem& problem, const Estimate& found, const GainOptions& options,
                     GainFit& fit) {
  if (!errors_are_known(problem, options.rows)) return;
  GainOptions values = options;
  values.spread = false;
  const GainFit total = fit_total(problem, values);
  if (!total.values.allFinite() || (total.gain_values().array() == 0).any()) return;
  std::vector<std::string> columns = found.columns;
  columns.emplace_back("load");
  std::vector<double> sigma = fit.row_sigma;
  if (fit.method == GainMethod::ls) sigma.assign(sigma.size(), 1);
  const std::vector<Index> places = places_in(fit, found.columns);
  Eigen::VectorXd x = Eigen::VectorXd::Ones(found.values.size() + 1);
  for (std::size_t k = 0; k < places.size(); ++k)
    x[static_cast<Index>(k)] = places[k] >= 0 ? total.values[places[k]] : found.values[static_cast<Index>(k)];
  const Eigen::MatrixXd smooth = with_residual_currents(
      problem, total, columns, error_products(problem, options.rows, ErrorKind::smooth, sigma, columns));
  const Eigen::VectorXd pull =
      ((smooth + error_products(problem, options.rows, ErrorKind::jumps, sigma, columns)) * x)
          .head(found.values.size());
  const Eigen::MatrixXd W = homogeneous(found.factor, columns).leftCols(found.values.size());
  const Eigen::MatrixXd root = inverse_root(W.transpose() * W);
  const VectorXd shift = root * (root.transpose() * pull);
  fit.attenuation = VectorXd::Zero(fit.values.size());
  for (std::size_t k = 0; k < places.size(); ++k)
    if (places[k] >= 0) fit.attenuation[places[k]] = shift[static_cast<Index>(k)];
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

void put_spread(const std::vector<std::string>& columns, const BlockMoments& moments, const MatrixXd& further,
                const GainOptions& options, GainFit& fit) {
  const Index n = fit.values.size();
  const std::vector<Index> places = places_in(fit, columns);
  fit.covariance = MatrixXd::Zero(n, n);
  VectorXd degrees = VectorXd::Constant(n, 1e6);
  MatrixXd own = moments.root * moments.prior * moments.root.transpose();
  if (further.size() > 0) own += further;
  if (moments.blocks() >= kTooFewBlocks) {
    const Bootstrap boot = bootstrap(moments, options.bootstrap);
    own += boot.covariance;
    for (std::size_t a = 0; a < places.size(); ++a)
      if (places[a] >= 0) degrees[places[a]] = boot.degrees[static_cast<Index>(a)];
  } else {
    for (std::size_t a = 0; a < places.size(); ++a) {
      const double sigma = places[a] < 0 ? 0 : fit.sigma_classical[places[a]];
      if (std::isfinite(sigma)) own(static_cast<Index>(a), static_cast<Index>(a)) += sigma * sigma;
    }
  }
  fit.sigma = fit.sigma_classical;
  for (std::size_t a = 0; a < places.size(); ++a) {
    if (places[a] < 0) continue;
    // A column that depends on others keeps its infinite standard deviation: blocks scatter about the
    // solution of smallest norm, which does not determine it.
    if (!std::isinf(fit.sigma_classical[places[a]]))
      fit.sigma[places[a]] = std::sqrt(own(static_cast<Index>(a), static_cast<Index>(a)));
    for (std::size_t b = 0; b < places.size(); ++b)
      if (places[b] >= 0)
        fit.covariance(places[a], places[b]) = own(static_cast<Index>(a), static_cast<Index>(b));
  }
  for (Index k = 0; k < n; ++k) {
    if (!std::isfinite(fit.sigma[k])) continue;
    const double reach = student_quantile((1 + options.level) / 2, degrees[k]) * fit.sigma[k];
    fit.lower[k] = fit.values[k] - reach;
    fit.upper[k] = fit.values[k] + reach;
  }
}

std::vector<double> row_deviations(const GainProblem& problem, const Estimate& estimate, RowSide side) {
  const std::string prefix = side == RowSide::joint ? "torque:" : "current:";
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
  const std::vector<Fold> folds = gain_equations(problem, options.rows);
  const Estimate found =
      least_squares(problem, folds, method == GainMethod::ls ? Weighting::none : Weighting::by_row);
  GainFit fit = empty_fit(problem, method);
  put_values(found.columns, found.values, fit);
  put_classical(found.columns, found.sigma, fit);
  fit.row_sigma = row_deviations(problem, found, options.rows);
  if (!options.spread) return fit;
  put_spread(found.columns, block_moments(folds, found, gain_priors(problem)), {}, options, fit);
  put_attenuation(problem, found, options, fit);
  return fit;
}

}  // namespace steelyard
