#include "steelyard/gains/payload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "gains/spread.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/core/statistics.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

// V g − W_k χ_k = W χ + W_u χ_u: a joint row with its effort put together.
Fold torque_fold(const GainProblem& problem, const GainRun& run, const Fold& joint, const VectorXd& gains) {
  const Fold equation = gain_equation(problem, run, joint);  // V g − W χ − W_u χ_u = W_k χ_k
  const Layout& from = equation.layout();
  Layout layout = from;
  layout.columns.clear();
  layout.efforts = {"torque"};
  MatrixXd C = MatrixXd::Zero(from.size(), from.size());
  VectorXd effort = VectorXd::Zero(from.size());
  Index next = 0;
  for (Index k = 0; k + 1 < from.size(); ++k) {
    const auto gain = std::find(problem.gains.begin(), problem.gains.end(), from.name(k));
    if (gain != problem.gains.end()) {
      effort[k] = gains[gain - problem.gains.begin()];
    } else {
      layout.columns.push_back(from.name(k));
      C(k, next++) = -1;
    }
  }
  effort[from.size() - 1] = -1;
  C.col(next) = effort;
  return combine_columns(equation, C.leftCols(next + 1), layout);
}

std::vector<Fold> torque_folds(const GainProblem& problem, const VectorXd& gains) {
  std::vector<Fold> folds;
  for (const GainRun& run : problem.runs)
    for (const Fold& fold : run.joint) folds.push_back(torque_fold(problem, run, fold, gains));
  return folds;
}

// Load parameters known with a standard deviation.
std::vector<Fold> load_priors(const GainProblem& problem) {
  GainProblem loads = problem;
  loads.prior.resize(0);
  loads.prior_sigma.resize(0);
  std::vector<Fold> priors;
  for (const Fold& fold : gain_priors(loads)) {
    std::vector<std::string> columns(fold.layout().columns.begin() + static_cast<Index>(problem.gains.size()),
                                     fold.layout().columns.end());
    Layout layout = fold.layout();
    Fold own = select_columns(fold, columns);
    layout.columns = columns;
    layout.efforts = {"torque"};
    priors.push_back(fold_rows(std::make_shared<const Layout>(layout), own.R(), own.rows()));
  }
  return priors;
}

// Values for other gains, with the weights of the first estimate.
VectorXd values_with(const GainProblem& problem, const VectorXd& gains, const Estimate& first,
                     std::span<const Fold> priors) {
  std::vector<Fold> folds = torque_folds(problem, gains);
  for (std::size_t f = 0; f < folds.size(); ++f) folds[f].scale(first.weights[f]);
  EstimateOptions options;
  options.conditions = false;
  return estimate(folds, options, priors).values;
}

// Change of the values by that of the gains: columns × gains.
MatrixXd gain_influence(const GainProblem& problem, const VectorXd& gains, const Estimate& first,
                        std::span<const Fold> priors) {
  const Index n = gains.size();
  MatrixXd change(first.values.size(), n);
  for (Index j = 0; j < n; ++j) {
    VectorXd other = gains;
    const double step = std::abs(gains[j]);  // linear: any step will do
    other[j] += step;
    change.col(j) =
        (values_with(problem, other, first, priors) - values_with(problem, gains, first, priors)) / step;
  }
  return change;
}

void check_loads(const GainProblem& problem, const VectorXd& gains) {
  validate(std::span<const Load>(problem.loads));
  if (gains.size() != static_cast<Index>(problem.gains.size()))
    throw InputError({fmt::format("{} gains are given", gains.size()),
                      {},
                      fmt::format("{}, one per joint", problem.gains.size()),
                      {}});
  for (Index j = 0; j < gains.size(); ++j)
    if (!std::isfinite(gains[j]) || gains[j] == 0)
      throw InputError({fmt::format("the gain is {}", gains[j]),
                        {{}, 0, 0, problem.joints[static_cast<std::size_t>(j)]},
                        "finite and not zero",
                        {}});
  std::set<std::string> unknown_states, states;
  for (const GainRun& run : problem.runs) {
    const Load* load = load_of(problem, run);
    states.insert(run.load);
    if (load && load->known_count() < kParametersPerLink) unknown_states.insert(run.load);
  }
  if (unknown_states.empty())
    throw InputError(
        {"no run carries a load with unknown parameters", {}, {}, "give the load as `payload` of its run"});
  if (states == unknown_states && states.size() == 1)
    throw InputError(
        {fmt::format("all runs carry the load '{}', which cannot be distinguished from the last link",
                     *states.begin()),
         {},
         {},
         "record a run without load"});
}

LoadEstimate describe(const Load& load, const GainFit& fit, const MatrixXd& influence,
                      const MatrixXd& by_gains, const MatrixXd& by_noise) {
  LoadEstimate out;
  out.name = load.name;
  out.values = load.fixed_values();
  out.noise = MatrixXd::Zero(kParametersPerLink, kParametersPerLink);
  out.covariance = out.noise;
  if (influence.size() > 0) out.by_gains = MatrixXd::Zero(kParametersPerLink, influence.cols());
  out.sigma.setZero();
  out.sigma_noise.setZero();
  out.sigma_gains.setZero();
  out.lower.setConstant(kNaN);
  out.upper.setConstant(kNaN);
  const std::vector<std::string> names = load_columns(load.name);
  std::vector<Index> places;
  for (const std::string& name : names) places.push_back(fit.find(name));
  for (Index a = 0; a < kParametersPerLink; ++a) {
    const Index at = places[static_cast<std::size_t>(a)];
    if (at < 0) continue;
    out.values[a] = fit.values[at];
    out.sigma_noise[a] = std::sqrt(by_noise(at, at));
    out.sigma_gains[a] = std::sqrt(by_gains(at, at));
    out.sigma[a] = fit.sigma[at];
    out.lower[a] = fit.lower[at];
    out.upper[a] = fit.upper[at];
    if (influence.size() > 0) out.by_gains.row(a) = influence.row(at);
    for (Index b = 0; b < kParametersPerLink; ++b)
      if (const Index other = places[static_cast<std::size_t>(b)]; other >= 0) {
        out.noise(a, b) = by_noise(at, other);
        out.covariance(a, b) = by_noise(at, other) + by_gains(at, other);
      }
  }
  out.gains_dominate = out.sigma_gains[0] > out.sigma_noise[0];
  out.body = nearest_body(out.values, out.covariance, out.body_is_found, out.body_moved);
  return out;
}

}  // namespace

LoadFit identify_loads(const GainProblem& problem, const VectorXd& gains, const MatrixXd& covariance,
                       const GainOptions& options) {
  check_loads(problem, gains);
  const std::vector<Fold> folds = torque_folds(problem, gains), priors = load_priors(problem);
  EstimateOptions weighted;
  weighted.weighting = Weighting::by_row;
  weighted.conditions = false;
  const Estimate found = estimate(folds, weighted, priors);
  const MatrixXd influence =
      covariance.size() > 0 ? gain_influence(problem, gains, found, priors) : MatrixXd();
  const Index n = found.values.size();
  MatrixXd by_gains = MatrixXd::Zero(n, n);
  if (influence.size() > 0) by_gains = influence * covariance * influence.transpose();
  GainFit fit;
  fit.columns = found.columns;
  fit.values = found.values;
  fit.sigma_classical = found.sigma;
  fit.lower = fit.upper = VectorXd::Constant(found.values.size(), kNaN);
  put_spread(found.columns, block_moments(folds, found, priors), {}, options, fit);
  const MatrixXd by_noise = fit.covariance;
  for (Index k = 0; k < fit.values.size(); ++k) {
    if (!(fit.sigma[k] > 0)) continue;
    const double wider = std::sqrt(1 + by_gains(k, k) / (fit.sigma[k] * fit.sigma[k]));
    fit.sigma[k] *= wider;
    fit.lower[k] = fit.values[k] - wider * (fit.values[k] - fit.lower[k]);
    fit.upper[k] = fit.values[k] + wider * (fit.upper[k] - fit.values[k]);
  }
  LoadFit out;
  out.columns = fit.columns;
  out.values = fit.values;
  out.sigma = fit.sigma;
  out.per_row = found.per_row;
  for (const Load& load : problem.loads) {
    const bool carried = fit.find(load_columns(load.name)[0]) >= 0 ||
                         std::any_of(problem.runs.begin(), problem.runs.end(),
                                     [&](const GainRun& run) { return run.load == load.name; });
    if (carried && load.known_count() < kParametersPerLink)
      out.loads.push_back(describe(load, fit, influence, by_gains, by_noise));
  }
  return out;
}

}  // namespace steelyard
