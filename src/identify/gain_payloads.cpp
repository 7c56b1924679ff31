#include "identify/gain_payloads.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "identify/summary.hpp"
#include "steelyard/core/error.hpp"
#include "steelyard/gains/payload.hpp"

namespace steelyard::inline STEELYARD_ABI {

GainOptions gain_options(const Setup& setup) {
  GainOptions options;
  options.level = setup.study().intervals.level;
  options.bootstrap.replicates = std::max(20, setup.study().intervals.replicates);
  options.bootstrap.seed = setup.study().seed;
  options.bootstrap.threads = setup.threads();
  options.rows = setup.study().gains->rows;
  return options;
}

namespace {

UncertainValue uncertain_value(const LoadEstimate& load, Index parameter) {
  UncertainValue value{load.values[parameter], finite_or_none(load.sigma[parameter]), {}, {}};
  if (std::isfinite(load.lower[parameter]) && std::isfinite(load.upper[parameter]))
    value.interval = {load.lower[parameter], load.upper[parameter]};
  return value;
}

PayloadSummary summary_of(const LoadEstimate& load, const std::string& run, const Load& given) {
  PayloadSummary summary;
  summary.name = load.name;
  summary.run = run;
  summary.known_mass = given.parameters[0].value;
  for (Index k = 0; k < kParametersPerLink; ++k)
    summary.parameters[kParameterStems[static_cast<std::size_t>(k)]] = uncertain_value(load, k);
  summary.mass_sigma_noise = load.sigma_noise[0];
  summary.mass_sigma_gains = load.sigma_gains[0];
  summary.gains_dominate = load.gains_dominate;
  // Few joints do not identify the mass: the rest is not a body.
  if (!load.body_is_found || !(load.body.mass() > 0)) return summary;
  summary.mass = load.body.mass();
  summary.com = load.body.com();
  const auto entries = [](const Matrix3& I) {
    Vector6 six;
    six << I(0, 0), I(0, 1), I(0, 2), I(1, 1), I(1, 2), I(2, 2);
    return six;
  };
  summary.inertia_com = entries(load.body.inertia_com());
  summary.inertia_origin = entries(load.body.inertia_origin());
  return summary;
}

// With gains that are given, the currents weigh a load on their own: what the study says of it can be wrong.
void compare_masses(const Load& given, const LoadEstimate& weighed, DriveGains& gains) {
  constexpr double kApart = 4;  // standard deviations
  const LoadParameter& mass = given.parameters[0];
  if (!mass.is_known() || !std::isfinite(weighed.sigma[0])) return;
  const double difference = weighed.values[0] - *mass.value, sigma = std::hypot(weighed.sigma[0], mass.sigma);
  if (std::abs(difference) <= kApart * sigma) return;
  gains.findings.push_back(make_finding(
      "payload-contradicts", given.name,
      fmt::format("the study gives {:.4g} kg; with the given gains the currents weigh {:.4g} ± {:.2g} kg",
                  *mass.value, weighed.values[0], sigma)));
}

bool is_exact(const Load& load) {
  return std::all_of(load.parameters.begin(), load.parameters.end(), [](const LoadParameter& parameter) {
    return parameter.is_known() && parameter.sigma == 0;
  });
}

// Nothing left to estimate.
LoadEstimate exact_estimate(const Load& given) {
  LoadEstimate out;
  out.name = given.name;
  out.values = given.fixed_values();
  out.sigma = out.sigma_noise = out.sigma_gains = Vector10::Zero();
  out.lower = out.upper = Vector10::Constant(std::numeric_limits<double>::quiet_NaN());
  out.covariance = out.noise = MatrixXd::Zero(kParametersPerLink, kParametersPerLink);
  out.body = Inertia::from_standard(out.values);  // a body: validate() of the loads has checked it
  out.body_is_found = true;
  return out;
}

LoadEstimate estimate_load(const Setup& setup, const Load& load, std::vector<GainRun> runs,
                           const DriveGains& gains) {
  if (is_exact(load)) return exact_estimate(load);
  const GainProblem problem = gain_problem(gains.rows, {load}, std::move(runs));
  return identify_loads(problem, gains.values, gains.covariance, gain_options(setup)).loads[0];
}

void add_load(const CurrentRun& run, const Load& given, const LoadEstimate& load, DriveGains& gains,
              std::vector<LoadEstimate>& taken) {
  gains.payloads.push_back(summary_of(load, run.folds.label, given));
  if (gains.loads.try_emplace(given.name, load.values).second) taken.push_back(load);
}

// Without a run that shows the load apart from the last link.
void take_given_load(const CurrentRun& run, const Load& given, bool keeps_given, DriveGains& gains,
                     std::vector<LoadEstimate>& taken) {
  if (keeps_given && is_exact(given)) return add_load(run, given, exact_estimate(given), gains, taken);
  if (gains.loads.count(given.name) > 0) return;
  throw InputError({fmt::format("the load '{}' cannot be distinguished from the last link", given.name),
                    {},
                    "a fit run without load",
                    "record a run without load"});
}

}  // namespace

std::vector<LoadEstimate> identify_payloads(const Setup& setup, const std::vector<CurrentRun>& runs,
                                            DriveGains& gains) {
  std::vector<LoadEstimate> taken;
  const bool given_gains = setup.study().gains->known.size() > 0;
  std::vector<GainRun> unloaded;
  for (const CurrentRun& run : runs)
    if (run.run->file.label.role == RunRole::fit && run.folds.load.empty()) unloaded.push_back(run.folds);
  for (const CurrentRun& run : runs) {
    if (run.folds.load.empty()) continue;
    const Load& given = *std::find_if(setup.study().payloads.begin(), setup.study().payloads.end(),
                                      [&](const Load& load) { return load.name == run.folds.load; });
    const bool keeps_given = given_gains && given.known_count() > 0;
    if (unloaded.empty()) {
      take_given_load(run, given, keeps_given, gains, taken);
      continue;
    }
    std::vector<GainRun> both = unloaded;
    both.push_back(run.folds);
    const LoadEstimate weighed = estimate_load(setup, unknown_load(given.name), both, gains);
    add_load(run, given, keeps_given ? estimate_load(setup, given, both, gains) : weighed, gains, taken);
    if (keeps_given && given.parameters[0].is_known()) {
      gains.payloads.back().shown_mass = uncertain_value(weighed, 0);
      compare_masses(given, weighed, gains);
    }
    if (weighed.gains_dominate && std::isfinite(weighed.sigma[0]))
      gains.findings.push_back(make_finding(
          "payload-gain-error", given.name,
          fmt::format("the mass is {:.3g} ± {:.2g} kg; the uncertainty of the gains contributes {:.2g}",
                      weighed.values[0], weighed.sigma[0], weighed.sigma_gains[0])));
  }
  return taken;
}

}  // namespace steelyard
