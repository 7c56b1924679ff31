#include "steelyard/gains/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "gains/spread.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/core/suggest.hpp"

namespace steelyard::inline STEELYARD_ABI {
namespace {

// A gain with at least this share of its prior's standard deviation is the prior's.
constexpr double kMostlyPrior = 0.5;
// Total least squares with the two smallest singular values closer than this has two candidates for its
// solution: gains with at least half of the largest relative standard deviation distinguish them, and are
// rejected.
constexpr double kSeparated = 3;
constexpr double kTellApart = 0.5;

constexpr double kBiased = 0.5;  // standard deviations: a 95 % interval still holds in 92 %
constexpr double kHeld = 1e-6;   // standard deviation of a gain that is held, relative
constexpr int kFewReplicates = 20;

// Change of the values by one standard deviation of a quantity assumed known.
void widen(const VectorXd& change, GainFit& fit) {
  fit.covariance += change * change.transpose();
  for (Index k = 0; k < fit.values.size(); ++k) {
    if (!(fit.sigma[k] > 0)) continue;
    const double wider = std::hypot(fit.sigma[k], change[k]) / fit.sigma[k];
    fit.sigma[k] *= wider;
    fit.lower[k] = fit.values[k] - wider * (fit.values[k] - fit.lower[k]);
    fit.upper[k] = fit.values[k] + wider * (fit.upper[k] - fit.values[k]);
  }
}

// The gain that the runs determine worst compared with its prior; −1 when all are better than half of it.
Index worst_against_prior(const GainProblem& problem, const std::vector<bool>& held, const GainFit& fit) {
  Index worst = -1;
  double largest = kMostlyPrior;
  for (Index j = 0; j < fit.gains; ++j) {
    const double share = fit.sigma[j] / problem.prior_sigma[j];
    if (held[static_cast<std::size_t>(j)] || !(share > largest)) continue;
    largest = share;
    worst = j;
  }
  return worst;
}

// Total least squares has a solution with the gain zero wherever noise is most of a joint's rows, and a prior
// cannot be weighed against it. Gains that the runs alone determine worse than their priors are held there,
// the worst first.
GainFit fit_total_with_priors(const GainProblem& problem, const GainOptions& options) {
  if (problem.prior.size() == 0 || !(problem.prior_sigma.array() < kInfinity).any())
    return fit_total(problem, options);
  GainOptions few = options, plain = options;
  few.spread = true;
  few.bootstrap.replicates = kFewReplicates;
  plain.spread = false;
  GainProblem own = problem;
  own.prior_sigma.setConstant(kInfinity);
  std::vector<bool> held(problem.gains.size(), false);
  for (std::size_t round = 0; round < held.size(); ++round) {
    const Index worst = worst_against_prior(problem, held, fit_total(own, few));
    if (worst < 0) break;
    held[static_cast<std::size_t>(worst)] = true;
    own.prior_sigma[worst] = kHeld * std::abs(problem.prior[worst]);
  }
  for (Index j = 0; j < own.prior.size(); ++j)
    if (!held[static_cast<std::size_t>(j)]) own.prior_sigma[j] = problem.prior_sigma[j];
  GainFit fit = fit_total(own, options);
  for (Index j = 0; options.spread && j < own.prior.size(); ++j) {
    if (!held[static_cast<std::size_t>(j)]) continue;
    GainProblem other = own;
    other.prior[j] += problem.prior_sigma[j];
    widen(fit_total(other, plain).values - fit.values, fit);
  }
  return fit;
}

GainFit fit_once(const GainProblem& problem, GainMethod method, const GainOptions& options) {
  switch (method) {
    case GainMethod::ls:
    case GainMethod::wls:
      return fit_least_squares(problem, method, options);
    case GainMethod::tls:
      return fit_total_with_priors(problem, options);
    case GainMethod::tls_rows: {
      GainOptions printed = options;
      printed.columns = ColumnScale::none;
      return fit_total_with_priors(problem, printed);
    }
    case GainMethod::prediction_error:
      return fit_prediction_error(problem, options);
    case GainMethod::feasible:
      break;
  }
  throw InputError({"the feasible form needs the robot's links",
                    {},
                    "ls, wls, tls, tls_rows, prediction_error",
                    "call fit_feasible_gains"});
}

// Masses are taken as weighed: the effect of one standard deviation of each.
void add_mass_deviations(const GainProblem& problem, const GainOptions& options, GainFit& fit) {
  GainOptions plain = options;
  plain.spread = false;
  for (std::size_t l = 0; l < problem.loads.size(); ++l) {
    const LoadParameter mass = problem.loads[l].parameters[0];
    if (!mass.is_known() || mass.sigma == 0) continue;
    GainProblem heavier = problem;
    heavier.loads[l].parameters[0].value = *mass.value + mass.sigma;
    const VectorXd change = fit_once(heavier, fit.method, plain).values - fit.values;
    widen(change, fit);
    const auto count = static_cast<Index>(fit.weighed.size());
    fit.weighed.push_back(load_columns(problem.loads[l].name)[0]);
    fit.weighed_sigma.conservativeResize(count + 1);
    fit.weighed_sigma[count] = mass.sigma;
    fit.by_mass.conservativeResize(fit.values.size(), count + 1);
    fit.by_mass.col(count) = change;
  }
}

// The relative standard deviation beyond which a gain is rejected.
double max_relative_sigma(const GainOptions& options, const GainFit& fit) {
  if (!is_total(fit.method) || fit.gap >= kSeparated) return options.max_relative_sigma;
  const VectorXd relative = fit.sigma.head(fit.gains).cwiseQuotient(fit.gain_values()).cwiseAbs();
  return std::min(options.max_relative_sigma, kTellApart * relative.maxCoeff());
}

void judge_gains(const GainProblem& problem, const GainOptions& options, GainFit& fit) {
  fit.status.assign(problem.gains.size(), GainStatus::identified);
  const double max_sigma = max_relative_sigma(options, fit);
  for (Index j = 0; j < fit.gains; ++j) {
    GainStatus& status = fit.status[static_cast<std::size_t>(j)];
    const double sigma = fit.sigma[j];
    if (problem.prior.size() > 0 && sigma > kMostlyPrior * problem.prior_sigma[j]) status = GainStatus::prior;
    const double lost = fit.attenuation.size() > 0 ? std::abs(fit.attenuation[j]) : 0;
    const double limit = status == GainStatus::prior ? options.max_relative_sigma : max_sigma;
    if (lost > kBiased * sigma) status = GainStatus::biased;
    if (std::max(sigma, lost) > limit * std::abs(fit.values[j])) status = GainStatus::not_identifiable;
    if (status == GainStatus::identified || status == GainStatus::prior) continue;
    fit.lower[j] = fit.upper[j] = kNaN;
  }
}

}  // namespace

const char* to_string(GainMethod method) {
  constexpr const char* kWords[] = {"ls", "wls", "tls", "prediction_error", "feasible", "tls_rows"};
  return kWords[static_cast<std::size_t>(method)];
}

bool is_total(GainMethod method) {
  return method == GainMethod::tls || method == GainMethod::tls_rows;
}

const char* to_string(GainStatus status) {
  constexpr const char* kWords[] = {"identified", "prior", "biased", "not_identifiable"};
  return kWords[static_cast<std::size_t>(status)];
}

void GainOptions::validate() const {
  bootstrap.validate();
  if (level > 0 && level < 1 && max_relative_sigma > 0 && min_gap >= 1 && max_iterations >= 1) return;
  throw InputError(
      {fmt::format(
           "gains with level {}, largest relative standard deviation {}, smallest gap {}, {} iterations",
           level, max_relative_sigma, min_gap, max_iterations),
       {},
       "a level between 0 and 1, a positive standard deviation, a gap and iterations of at least 1",
       {}});
}

Index GainFit::find(const std::string& column) const {
  const auto found = std::find(columns.begin(), columns.end(), column);
  return found == columns.end() ? -1 : found - columns.begin();
}

GainFit fit_gains(const GainProblem& problem, GainMethod method, const GainOptions& options) {
  validate(problem);
  options.validate();
  GainFit fit = fit_once(problem, method, options);
  if (!options.spread) return fit;
  add_mass_deviations(problem, options, fit);
  judge_gains(problem, options, fit);
  return fit;
}

}  // namespace steelyard
